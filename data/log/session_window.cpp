#include "data/log/session_window.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "data/log/known_length.h"

namespace ultr {
namespace {

/// Prefetch distance in lists: places are anywhere in the window.
constexpr std::size_t lists_ahead = 24;

/// Resizes a column to `size` entries, or to 0 if the log does not have it. Keeps what is there:
/// all of it will be overwritten, and clearing it first takes as long.
template <class T>
void resize(std::vector<T>& column, std::span<const T> like, std::size_t size) {
  column.resize(like.empty() ? 0 : size);
}

template <class T>
void copy_entries(std::span<const T> from, std::size_t first, std::size_t count, std::vector<T>& to,
                  std::size_t place) {
  if (!from.empty()) std::copy_n(from.data() + first, count, to.data() + place);
}

}  // namespace

void SessionWindow::start(std::span<const SessionRun> runs) {
  const SessionLogView& like = *runs.front().sessions;
  std::size_t lists = 0, documents = 0;
  for (const auto& [sessions, range, places] : runs) {
    lists += range.size();
    documents += sessions->first_document(range.last) - sessions->first_document(range.first);
  }
  equal_length_ = like.equal_length;
  const bool records = like.offsets.empty();
  // Rows, then clicks, rounded up to whole cache lines.
  lines_of_record_ =
      (equal_length_ * (sizeof(std::uint32_t) + 1) + sizeof(Line) - 1) / sizeof(Line);
  used_lines_ = records ? lists * lines_of_record_ : 0;
  if (used_lines_ > lines_.size()) lines_.grow(used_lines_);
  rows_.resize(records ? 0 : documents);
  clicks_.resize(records ? 0 : documents);
  resize(positions_, like.positions, documents);
  resize(propensities_, like.propensities, documents);
  resize(targets_, like.targets, documents);
  resize(weights_, like.weights, lists);
  for (const Signal signal : all_signals) resize(signals_[signal], like.signals[signal], documents);
  offsets_.resize(records ? 0 : lists + 1);
  if (records) return;
  offsets_[0] = 0;
  for (const auto& [sessions, range, places] : runs)
    for (std::size_t i = 0; i < range.size(); ++i)
      offsets_[places[i] + 1] = static_cast<std::int64_t>(sessions->length(range.first + i));
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
}

void SessionWindow::copy(const SessionRun& run) {
  if (run.sessions->offsets.empty()) copy_records(run);
  copy_lists(run);
}

void SessionWindow::copy_records(const SessionRun& run) {
  with_known_length(equal_length_, [&](auto length) {
    // Raw pointers, since a written byte may alias anything: the compiler would reload spans.
    const SessionLogView& sessions = *run.sessions;
    const std::size_t first = run.lists.first, lists = run.lists.size();
    const std::size_t row_stride = sessions.row_stride == 0 ? length : sessions.row_stride;
    const std::size_t click_stride = sessions.click_stride == 0 ? length : sessions.click_stride;
    const std::uint32_t* rows = sessions.rows.data() + first * row_stride;
    const std::uint8_t* clicks = sessions.clicks.data() + first * click_stride;
    const std::uint32_t* const places = run.places.data();
    Line* const records = lines_.data();
    const std::size_t lines = lines_of_record_;
    for (std::size_t i = 0; i < lists; ++i, rows += row_stride, clicks += click_stride) {
      if (i + lists_ahead < lists) {
        __builtin_prefetch(records + places[i + lists_ahead] * lines, 1);
        __builtin_prefetch(rows + lists_ahead * row_stride);
        __builtin_prefetch(clicks + lists_ahead * click_stride);
      }
      auto* const record = reinterpret_cast<unsigned char*>(records + places[i] * lines);
      // With a known size, memcpy becomes a few moves; std::copy would call memmove.
      std::memcpy(record, rows, length * sizeof(std::uint32_t));
      std::memcpy(record + length * sizeof(std::uint32_t), clicks, length);
    }
  });
}

void SessionWindow::copy_lists(const SessionRun& run) {
  const SessionLogView& from = *run.sessions;
  const bool records = from.offsets.empty();
  copy_weights(run);
  if (records && positions_.empty() && propensities_.empty() && targets_.empty() &&
      !has_any(signals_))
    return;
  const SessionLogView to = spans();
  for (std::size_t i = 0; i < run.lists.size(); ++i) {
    const std::size_t session = run.lists.first + i, first = from.first_document(session);
    const std::size_t count = from.length(session), place = to.first_document(run.places[i]);
    if (!records) {
      copy_entries(from.rows, first, count, rows_, place);
      copy_entries(from.clicks, first, count, clicks_, place);
    }
    copy_entries(from.positions, first, count, positions_, place);
    copy_entries(from.propensities, first, count, propensities_, place);
    copy_entries(from.targets, first, count, targets_, place);
    for (const Signal signal : all_signals)
      copy_entries(from.signals[signal], first, count, signals_[signal], place);
  }
}

void SessionWindow::copy_weights(const SessionRun& run) {
  if (weights_.empty()) return;
  for (std::size_t i = 0; i < run.lists.size(); ++i)
    weights_[run.places[i]] = run.sessions->weights[run.lists.first + i];
}

SessionLogView SessionWindow::spans() const {
  SessionLogView spans{.offsets = offsets_,
                       .equal_length = equal_length_,
                       .rows = rows_,
                       .clicks = clicks_,
                       .positions = positions_,
                       .propensities = propensities_,
                       .targets = targets_,
                       .features = {},
                       .weights = weights_,
                       .signals = spans_of(signals_)};
  if (used_lines_ == 0) return spans;
  const std::size_t bytes = used_lines_ * sizeof(Line);
  const auto* const clicks = reinterpret_cast<const std::uint8_t*>(lines_.data());
  spans.rows = {reinterpret_cast<const std::uint32_t*>(lines_.data()),
                bytes / sizeof(std::uint32_t)};
  spans.clicks = std::span(clicks, bytes).subspan(equal_length_ * sizeof(std::uint32_t));
  spans.click_stride = lines_of_record_ * sizeof(Line);
  spans.row_stride = spans.click_stride / sizeof(std::uint32_t);
  return spans;
}

}  // namespace ultr
