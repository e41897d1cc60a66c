#pragma once

#include <string>
#include <vector>

#include "data/format_samples.h"
#include "data/formats/feature_format.h"
#include "data/readers.h"
#include "options/read.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::testing {

/// The lists that a format read from files, and its notes.
struct ReadFeatures {
  FeatureLists lists;
  std::vector<std::string> notes;
};

/// Returns a registered format with the options of its sample and further ones, as YAML.
inline Choice feature_format(const std::string& format, const std::string& options = "") {
  Choice choice(feature_formats(), format, "format");
  const std::string all = format_samples().at(format).options + options;
  if (!all.empty()) read_options(parse_config(all, "options"), *choice.options);
  return choice;
}

/// Reads files in a registered format. `options`: YAML, such as "on_error: skip".
inline ReadFeatures read_features(const std::string& format, const FeatureFormat::Files& files,
                                  const std::string& options = "",
                                  const FeatureReading& reading = {}) {
  const Choice choice = feature_format(format, options);
  ReadFeatures result;
  result.lists = choice.as<FeatureFormat>().read(files, reading, result.notes);
  return result;
}

/// Returns the error that reading a text gives, without the path of the file: ":1: ..." for line 1.
inline std::string feature_message(const std::string& format, const std::string& text,
                                   const std::string& options = "",
                                   const FeatureReading& reading = {}) {
  const TemporaryFolder folder;
  const auto file = folder.write("file", text);
  const std::string message =
      data_message([&] { read_features(format, {file}, options, reading); });
  EXPECT_TRUE(message.starts_with(file.string())) << message;
  return message.substr(std::min(file.string().size(), message.size()));
}

template <class T>
std::vector<T> values(std::span<const T> span) {
  return {span.begin(), span.end()};
}

inline void expect_equal(const FeatureLists& a, const FeatureLists& b) {
  const FeatureColumns &x = a.columns(), &y = b.columns();
  EXPECT_EQ(values(x.offsets.values()), values(y.offsets.values()));
  EXPECT_EQ(values(x.queries.values()), values(y.queries.values()));
  EXPECT_EQ(values(x.documents.values()), values(y.documents.values()));
  EXPECT_EQ(values(x.positions.values()), values(y.positions.values()));
  EXPECT_EQ(values(x.clicks.values()), values(y.clicks.values()));
  EXPECT_EQ(values(x.labels.values()), values(y.labels.values()));
  EXPECT_EQ(values(x.propensities.values()), values(y.propensities.values()));
  EXPECT_EQ(values(x.features.values()), values(y.features.values()));
  EXPECT_EQ(x.feature_count, y.feature_count);
  EXPECT_EQ(values(x.words.tokens.values()), values(y.words.tokens.values()));
  EXPECT_EQ(values(x.words.offsets.values()), values(y.words.offsets.values()));
  EXPECT_EQ(values(x.words.types.values()), values(y.words.types.values()));
}

}  // namespace ultr::testing
