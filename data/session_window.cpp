#include "data/session_window.h"

namespace ultr {
namespace {

template <class T>
void append(std::vector<T>& to, std::span<const T> column, std::size_t begin, std::size_t count) {
  if (column.empty()) return;
  const auto from = column.subspan(begin, count);
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

void SessionWindow::clear() {
  offsets_.clear();
  lines_.clear();
  rows_.clear();
  clicks_.clear();
  positions_.clear();
  propensities_.clear();
  targets_.clear();
}

void SessionWindow::add(const SessionSpans& sessions, std::size_t first, std::size_t count) {
  const std::size_t begin = sessions.first_document(first);
  const std::size_t documents = sessions.first_document(first + count) - begin;
  equal_length_ = sessions.equal_length;
  if (!sessions.offsets.empty()) {
    if (offsets_.empty()) offsets_.push_back(0);
    const std::int64_t shift = offsets_.back() - sessions.offsets[first];
    for (const std::int64_t end : sessions.offsets.subspan(first + 1, count))
      offsets_.push_back(end + shift);
  }
  if (sessions.offsets.empty()) {
    add_records(sessions, first, count);
  } else {
    append(rows_, sessions.rows, begin, documents);
    append(clicks_, sessions.clicks, begin, documents);
  }
  append(positions_, sessions.positions, begin, documents);
  append(propensities_, sessions.propensities, begin, documents);
  append(targets_, sessions.targets, begin, documents);
}

void SessionWindow::add_records(const SessionSpans& sessions, std::size_t first,
                                std::size_t count) {
  const std::size_t length = sessions.equal_length;
  // Rows, then clicks, up to the end of a cache line.
  lines_of_record_ = (length * (sizeof(std::uint32_t) + 1) + sizeof(Line) - 1) / sizeof(Line);
  const std::size_t had = lines_.size();
  lines_.resize(had + count * lines_of_record_);
  for (std::size_t i = 0; i < count; ++i) {
    // Loops, since a call of memcpy costs more than so few bytes.
    Line* const record = lines_.data() + had + i * lines_of_record_;
    auto* const rows = reinterpret_cast<std::uint32_t*>(record);
    auto* const clicks = reinterpret_cast<std::uint8_t*>(rows + length);
    const std::uint32_t* const its_rows = sessions.rows.data() + sessions.first_row(first + i);
    const std::uint8_t* const its_clicks = sessions.clicks.data() + sessions.first_click(first + i);
    for (std::size_t k = 0; k < length; ++k) {
      rows[k] = its_rows[k];
      clicks[k] = its_clicks[k];
    }
  }
}

SessionSpans SessionWindow::spans() const {
  SessionSpans spans{.offsets = offsets_,
                     .equal_length = equal_length_,
                     .rows = rows_,
                     .clicks = clicks_,
                     .positions = positions_,
                     .propensities = propensities_,
                     .targets = targets_};
  if (!offsets_.empty() || lines_.empty()) return spans;
  const std::size_t bytes = lines_.size() * sizeof(Line);
  const auto* const clicks = reinterpret_cast<const std::uint8_t*>(lines_.data());
  spans.rows = {reinterpret_cast<const std::uint32_t*>(lines_.data()),
                bytes / sizeof(std::uint32_t)};
  spans.clicks = std::span(clicks, bytes).subspan(equal_length_ * sizeof(std::uint32_t));
  spans.click_stride = lines_of_record_ * sizeof(Line);
  spans.row_stride = spans.click_stride / sizeof(std::uint32_t);
  return spans;
}

}  // namespace ultr
