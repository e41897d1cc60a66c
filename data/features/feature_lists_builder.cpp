#include "data/features/feature_lists_builder.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {
namespace {

template <class T>
void append_given(std::vector<T>& column, const std::optional<T>& value) {
  if (value) column.push_back(*value);
}

template <class T>
Column<T> all_or_none(std::vector<T>& column, std::size_t documents, std::string_view name) {
  if (!column.empty() && column.size() != documents)
    throw DataError(fmt::format("{}: {} for {} documents; expected one for each, or none", name,
                                column.size(), documents));
  return std::move(column);
}

}  // namespace

void FeatureListsBuilder::start_list(std::uint64_t query) {
  if (parts_.take && documents_ * std::max(width_, std::size_t{1}) >= parts_.numbers) finish_part();
  next_query_ = query;
}

void FeatureListsBuilder::finish_part() {
  if (documents_ == 0) return;
  FeatureListsBuilder rest(width_, parts_);
  rest.missing_ = missing_;
  rest.absent_ = absent_;
  rest.lists_before_ = lists();
  rest.documents_before_ = documents();
  const FeatureLists part = build();
  *this = std::move(rest);
  parts_.take(part);
}

std::span<float> FeatureListsBuilder::add(const FeatureDocument& document, std::size_t features) {
  if (next_query_) {
    offsets_.push_back(static_cast<std::int64_t>(documents_));
    queries_.push_back(*next_query_);
    next_query_.reset();
  }
  if (queries_.empty()) throw Error("FeatureListsBuilder: a document before the first list");
  append_given(ids_, document.id);
  append_given(positions_, document.position);
  append_given(clicks_, document.click);
  append_given(labels_, document.label);
  append_given(propensities_, document.propensity);
  for (const Signal signal : all_signals) append_given(signals_[signal], document.signals[signal]);
  widen(features);
  ++documents_;
  features_.resize(documents_ * width_, absent_);
  return std::span(features_).last(width_);
}

void FeatureListsBuilder::widen(std::size_t features) {
  if (features <= width_) return;
  // Moves the last row first, so that no row is overwritten before it is moved. Widening is rare:
  // if n rows come in arbitrary order, a row wider than all before it comes about ln(n) times.
  features_.resize(documents_ * features);
  for (std::size_t row = documents_; row-- > 0;) {
    const auto from = features_.begin() + static_cast<std::ptrdiff_t>(row * width_);
    const auto to = features_.begin() + static_cast<std::ptrdiff_t>(row * features);
    const auto width = static_cast<std::ptrdiff_t>(width_);
    std::copy_backward(from, from + width, to + width);
    std::fill(to + width, to + static_cast<std::ptrdiff_t>(features), absent_);
  }
  width_ = features;
}

void add_words(std::span<const Token> query, const TokenText& text, FeatureListsBuilder& to) {
  std::vector<std::uint32_t> tokens;
  std::vector<std::uint8_t> types;
  std::uint8_t type = 0;
  for (const auto words :
       {query, std::span<const Token>(text.title), std::span<const Token>(text.abstract)}) {
    for (const Token word : words) {
      tokens.push_back(static_cast<std::uint32_t>(first_word) + word);
      types.push_back(type);
    }
    ++type;
  }
  to.add_words(tokens, types);
}

FeatureLists FeatureListsBuilder::build() {
  offsets_.push_back(static_cast<std::int64_t>(documents_));
  FeatureColumns columns;
  columns.offsets = std::move(offsets_);
  columns.queries = std::move(queries_);
  columns.documents = all_or_none(ids_, documents_, "documents");
  columns.positions = all_or_none(positions_, documents_, "positions");
  columns.clicks = all_or_none(clicks_, documents_, "clicks");
  columns.labels = all_or_none(labels_, documents_, "labels");
  columns.propensities = all_or_none(propensities_, documents_, "propensities");
  for (const Signal signal : all_signals)
    columns.signals[signal] = all_or_none(signals_[signal], documents_, type_of(signal).name);
  columns.features = std::move(features_);
  columns.feature_count = width_;
  columns.missing = missing_;
  if (words_.documents() > 0 && words_.documents() != documents_)
    throw DataError(fmt::format("words: of {} documents out of {}; expected them of each, or none",
                                words_.documents(), documents_));
  if (words_.documents() > 0) columns.words = words_.build();
  return FeatureLists(std::move(columns));
}

}  // namespace ultr
