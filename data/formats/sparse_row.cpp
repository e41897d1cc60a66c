#include "data/formats/sparse_row.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "base/error.h"
#include "base/text/quote.h"
#include "data/features/feature_lists.h"
#include "data/text/line_fields.h"

namespace ultr {
namespace {

/// Removes the first word from a text and returns it; empty at the end of the text.
std::string_view take_word(std::string_view& text) {
  constexpr std::string_view space = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(space), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(space));
  text.remove_prefix(word.size());
  return word;
}

std::int32_t parse_label(std::string_view text) {
  const double label = parse_number(text, "the label");
  if (label != std::floor(label) || label > largest_label || (label < 0 && label != -2))
    throw DataError(
        fmt::format("the label is {}; expected -2 (unjudged) or a whole number from 0 "
                    "to {}",
                    quote(text, 40), largest_label));
  return static_cast<std::int32_t>(label);
}

}  // namespace

void SparseRow::parse(std::string_view line) {
  ++line_;
  features_.clear();
  width_ = 0;
  query_.reset();
  line = line.substr(0, line.find('#'));
  label_ = parse_label(take_word(line));
  std::string_view word = take_word(line);
  if (word.starts_with("qid:")) {
    query_ = parse_id(word.substr(4), "the qid");
    word = take_word(line);
  }
  for (; !word.empty(); word = take_word(line)) parse_feature(word);
}

void SparseRow::parse_feature(std::string_view token) {
  const std::size_t colon = token.find(':');
  if (colon == std::string_view::npos)
    throw DataError(fmt::format("{} is not a feature; expected index:value", quote(token, 40)));
  if (token.substr(0, colon) == "qid")
    throw DataError("a qid after the second place; expected label qid:7 1:0.5 ...");
  const std::int64_t index = parse_integer(token.substr(0, colon), "a feature index", 1,
                                           std::numeric_limits<std::int32_t>::max());
  const auto i = static_cast<std::size_t>(index - 1);
  if (i >= most_features_)
    throw DataError(fmt::format("a feature index is '{}'; expected at most {}, {}", index,
                                most_features_, reason_));
  if (seen_.size() <= i) seen_.resize(i + 1);
  if (seen_[i] == line_)
    throw DataError(
        fmt::format("feature index {} appears twice; expected each at most once", index));
  seen_[i] = line_;
  constexpr double most = std::numeric_limits<float>::max();
  const std::string_view text = token.substr(colon + 1);
  const bool is_missing = !text.empty() && is_missing_number(text);
  if (is_missing && !missing_)
    throw DataError(fmt::format("feature {} is {}; expected a finite number{}", index, quote(text),
                                unless_missing));
  const double value = is_missing ? std::numeric_limits<double>::quiet_NaN()
                                  : parse_number(text, fmt::format("feature {}", index));
  features_.push_back(
      {static_cast<std::uint32_t>(i), static_cast<float>(std::clamp(value, -most, most))});
  width_ = std::max(width_, i + 1);
}

void SparseRow::fill(std::span<float> row) const {
  for (const Feature& feature : features_) row[feature.index] = feature.value;
}

}  // namespace ultr
