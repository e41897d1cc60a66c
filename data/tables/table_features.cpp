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

std::size_t features_or_count(std::size_t features, bool has_words) {
  return features == 0 && has_words ? 1 : features;
}

/// `features`: those that the list has. Documents without any get the number of their words as one,
/// since each document has a row of features.
void add_list(const RawList& list, std::size_t features, FeatureListsBuilder& into) {
  const auto signals = [&](std::size_t k) {
    PerSignal<std::optional<std::uint16_t>> its;
    for (const Signal signal : all_signals)
      its[signal] = entry<std::uint16_t>(list.signals[signal], k);
    return its;
  };
  const bool has_words = list.words.documents() > 0;
  const TokenColumns words = has_words ? TokenColumnsBuilder(list.words).build() : TokenColumns();
  into.start_list(list.query);
  for (std::size_t k = 0; k < list.documents.size(); ++k) {
    const auto row = into.add({.id = list.documents[k],
                               .position = list.positions[k],
                               .click = entry<std::uint8_t>(list.clicks, k),
                               .label = entry<std::int32_t>(list.labels, k),
                               .propensity = entry<float>(list.propensities, k),
                               .signals = signals(k)},
                              features_or_count(features, has_words));
    const auto its = std::span(list.features).subspan(k * features, features);
    std::copy(its.begin(), its.end(), row.begin());
    if (!has_words) continue;
    const auto [tokens, types] = words_of(words, k);
    into.add_words(tokens, types);
    if (features == 0) row[0] = static_cast<float>(tokens.size());
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
  if (names.empty() && setting_.columns.has_words()) return {"words"};
  const std::vector<std::string>& of_bias = setting_.columns.bias_features;
  names.insert(names.end(), of_bias.begin(), of_bias.end());
  return names;
}

FeatureTextFormat::FileReader TableFeatures::file_reader(const Files& files,
                                                         const FeatureReading& reading,
                                                         const ReadRules&) const {
  setting_.check();
  if (setting_.columns.has_words() && reading.vocabulary == nullptr)
    throw ConfigError(
        "columns.query_words, title and abstract are for training, which makes a vocabulary, and "
        "for trained runs, which have one; expected none of them");
  const std::size_t features = setting_.columns.feature_count();
  if (reading.features > 0 &&
      features_or_count(features, setting_.columns.has_words()) != reading.features)
    throw DataError(
        fmt::format("{}: columns.features and columns.bias_features name {} columns; "
                    "expected {}, as the training files have",
                    files.front().string(), features, reading.features));
  return [this, features, vocabulary = reading.vocabulary](
             const std::filesystem::path& file, const ReadRules& given, FeatureListsBuilder& into) {
    ReadRules rules = given;
    rules.max_positions = most_table_positions;
    const auto take = [&](const RawList& list) {
      for (std::uint64_t left = list.times("lists with features have no weights"); left > 0; --left)
        add_list(list, features, into);
    };
    return read_table(setting_, TableUse::lists, file, rules, take,
                      setting_.columns.has_words() ? vocabulary : nullptr);
  };
}

}  // namespace ultr
