#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "data/formats/feature_format.h"

namespace ultr {

/// One line of the svmlight family, where only some features are given:
///
///     label qid:7 1:0.5 3:1 # note
///
/// separated by any spaces or tabs. Indices are from 1, in any order, each at most once; features
/// that are not given are 0.
class SparseRow {
 public:
  struct Feature {
    std::uint32_t index;  // 0-based
    float value;
  };

  /// Indices above `most_features` are refused; `reason` says in the message why that is the limit.
  SparseRow(std::size_t most_features, std::string_view reason)
      : most_features_(most_features), reason_(reason) {}

  /// Reads a line. Throws DataError with what was found and expected for an index that is 0, too
  /// large or repeated, a number that is not finite, a label that is not -2 or a whole number from
  /// 0 to largest_label, and a qid that stands anywhere but second.
  void parse(std::string_view line);

  std::int32_t label() const { return label_; }
  std::optional<std::uint64_t> query() const { return query_; }
  /// In the order of the line. Numbers beyond the range of float, such as the 1.8e308 that stands
  /// for a missing value in Istella, become the largest float with their sign.
  std::span<const Feature> features() const { return features_; }
  /// One more than the largest index, 0 without features.
  std::size_t width() const { return width_; }

  /// Writes the features to a row of zeros of at least `width()`.
  void fill(std::span<float> row) const;

 private:
  void parse_feature(std::string_view token);

  std::size_t most_features_;
  std::string_view reason_;
  std::int32_t label_ = 0;
  std::optional<std::uint64_t> query_;
  std::vector<Feature> features_;
  std::size_t width_ = 0;
  // The line in which each index was seen last, to find those that repeat.
  std::vector<std::uint64_t> seen_;
  std::uint64_t line_ = 0;
};

/// The largest feature index that text formats believe if not told otherwise: a matrix is dense,
/// and one wrong index must not fill the memory.
inline constexpr std::int64_t default_max_features = 10'000;

/// A row that refuses more features than the reading asks for, or, if it does not say, than the
/// option max_features.
SparseRow sparse_row(const FeatureReading& reading, std::int64_t max_features);

}  // namespace ultr
