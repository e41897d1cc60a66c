#include "data/tables/table_features.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/core.h>

#include "base/error.h"
#include "data/tables/table_reading.h"

namespace ultr {
namespace {

constexpr std::size_t most_table_positions = 65536;  // positions are stored in 16 bits

/// Returns an entry of a column; nothing if the list does not have the column.
template <class T, class Column>
std::optional<T> entry(const Column& column, std::size_t at) {
  return column.empty() ? std::nullopt : std::optional<T>(column[at]);
}

void add_list(const RawList& list, std::size_t features, FeatureListsBuilder& into) {
  into.start_list(list.query);
  for (std::size_t k = 0; k < list.documents.size(); ++k) {
    const auto row = into.add({.id = list.documents[k],
                               .position = list.positions[k],
                               .click = entry<std::uint8_t>(list.clicks, k),
                               .label = entry<std::int32_t>(list.labels, k),
                               .propensity = entry<float>(list.propensities, k)},
                              features);
    const auto its = std::span(list.features).subspan(k * features, features);
    std::copy(its.begin(), its.end(), row.begin());
  }
}

}  // namespace

std::vector<std::int64_t> TableFeatures::bias_features() const {
  std::vector<std::int64_t> numbers(setting_.columns.bias_features.size());
  std::iota(numbers.begin(), numbers.end(),
            static_cast<std::int64_t>(setting_.columns.features.size()) + 1);
  return numbers;
}

std::vector<std::string> TableFeatures::feature_names() const {
  if (!setting_.header) return {};  // columns are numbers
  std::vector<std::string> names = setting_.columns.features;
  const std::vector<std::string>& of_bias = setting_.columns.bias_features;
  names.insert(names.end(), of_bias.begin(), of_bias.end());
  return names;
}

FeatureTextFormat::FileReader TableFeatures::file_reader(const Files& files,
                                                         const FeatureReading& reading,
                                                         const ReadRules&) const {
  setting_.check();
  const std::size_t features = setting_.columns.feature_count();
  if (reading.features > 0 && features != reading.features)
    throw DataError(
        fmt::format("{}: columns.features and columns.bias_features name {} columns; "
                    "expected {}, as the training files have",
                    files.front().string(), features, reading.features));
  return [this, features](const std::filesystem::path& file, const ReadRules& given,
                          FeatureListsBuilder& into) {
    ReadRules rules = given;
    rules.max_positions = most_table_positions;
    return read_table(setting_, TableUse::lists, file, rules, [&](const RawList& list) {
      for (std::uint64_t left = list.times("lists with features have no weights"); left > 0; --left)
        add_list(list, features, into);
    });
  };
}

}  // namespace ultr
