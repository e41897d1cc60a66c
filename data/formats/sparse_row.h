#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ultr {

/// A parser for lines of the svmlight family of formats, which list only some features:
///
///     label qid:7 1:0.5 3:1 # note
///
/// Words are separated by spaces or tabs. Indices start at 1, in any order, each at most once.
/// Features that a line does not list are 0.
class SparseRow {
 public:
  struct Feature {
    std::uint32_t index;  // 0-based
    float value;
  };

  /// Refuses indices above `most_features`; `reason` tells in the message where the limit is from.
  /// `missing`: a feature may be nan, in any case of letters.
  SparseRow(std::size_t most_features, std::string_view reason, bool missing = false)
      : most_features_(most_features), reason_(reason), missing_(missing) {}

  /// Parses a line. Throws DataError with what was found and expected for an index that is 0, too
  /// large or repeated, a number that is not finite, a label other than -2 or a whole number from 0
  /// to largest_label, and a qid in any place but the second.
  void parse(std::string_view line);

  std::int32_t label() const { return label_; }
  std::optional<std::uint64_t> query() const { return query_; }
  /// The listed features, in the order of the line. Numbers beyond the range of float, such as
  /// 1.79769313486e+308, which marks missing values in Istella, become the largest float of their
  /// sign. Numbers beyond the range of double are malformed.
  std::span<const Feature> features() const { return features_; }
  /// One more than the largest index, 0 without features.
  std::size_t width() const { return width_; }

  /// Writes the features to a row of absent ones, of at least `width()`.
  void fill(std::span<float> row) const;

 private:
  void parse_feature(std::string_view token);

  std::size_t most_features_;
  std::string_view reason_;
  bool missing_;
  std::int32_t label_ = 0;
  std::optional<std::uint64_t> query_;
  std::vector<Feature> features_;
  std::size_t width_ = 0;
  // The last line that has each index, to detect repeated ones.
  std::vector<std::uint64_t> seen_;
  std::uint64_t line_ = 0;
};

}  // namespace ultr
