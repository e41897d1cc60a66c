#include "data/formats/feature_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/columns/columns.h"
#include "data/format_samples.h"
#include "data/gzip.h"
#include "data/read_features.h"
#include "data/readers.h"

namespace ultr::feature_format_test {
namespace {

using testing::data_message;
using testing::expect_equal;
using testing::FormatSample;
using testing::read_features;
using testing::TemporaryFolder;

/// Tests that run for every registered format, by name.
class FeatureFormatsTest : public ::testing::TestWithParam<std::string> {
 protected:
  const FormatSample& sample() const { return testing::format_samples().at(GetParam()); }
  bool is_text() const { return !sample().text.empty(); }
};

TEST_P(FeatureFormatsTest, ReadsItsSampleAsItIsAndPacked) {
  const TemporaryFolder folder;
  const auto [lists, notes] = read_features(GetParam(), {write_sample(folder, GetParam())});
  EXPECT_EQ(lists.lists(), 2u);
  EXPECT_EQ(lists.documents(), 3u);
  EXPECT_GT(lists.features(), 0u);
  EXPECT_TRUE(notes.empty());
  if (!is_text()) return;
  const auto packed = write_sample(folder, GetParam(), "", testing::gzip);
  expect_equal(read_features(GetParam(), {packed}).lists, lists);
}

TEST_P(FeatureFormatsTest, PartsAreTheLists) {
  const TemporaryFolder folder;
  const auto file = write_sample(folder, GetParam());
  const FeatureLists all = read_features(GetParam(), {file}).lists;
  const Choice format = testing::feature_format(GetParam());
  std::vector<std::string> notes;
  std::size_t documents = 0;
  format.as<FeatureFormat>().read_parts({file}, {.features = all.features(), .progress = {}}, notes,
                                        [&](const FeatureLists& part) {
                                          EXPECT_EQ(part.features(), all.features());
                                          documents += part.documents();
                                        });
  EXPECT_EQ(documents, all.documents());
}

TEST_P(FeatureFormatsTest, ReportsTheBytesThatItRead) {
  const TemporaryFolder folder;
  std::uint64_t bytes = 0;
  const auto file = write_sample(folder, GetParam());
  read_features(GetParam(), {file}, "", {.progress = [&](std::uint64_t more) { bytes += more; }});
  EXPECT_GT(bytes, 0u);
  const Choice format = testing::feature_format(GetParam());
  EXPECT_EQ(bytes, format.as<FeatureFormat>().bytes_to_read({file}));
}

TEST_P(FeatureFormatsTest, RoundTripsThroughColumns) {
  const TemporaryFolder folder;
  const FeatureLists lists = read_features(GetParam(), {write_sample(folder, GetParam())}).lists;
  write_columns(folder.path() / "written", lists);
  expect_equal(read_columns(folder.path() / "written"), lists);
}

TEST_P(FeatureFormatsTest, HasTheRequestedNumberOfFeatures) {
  const TemporaryFolder folder;
  const auto file = write_sample(folder, GetParam());
  const FeatureLists lists = read_features(GetParam(), {file}).lists;
  const FeatureLists same =
      read_features(GetParam(), {file}, "", {.features = lists.features()}).lists;
  expect_equal(same, lists);
  const std::string message = data_message(
      [&] { read_features(GetParam(), {file}, "", {.features = lists.features() - 1}); });
  EXPECT_TRUE(message.starts_with(file.string() + ":")) << message;
  EXPECT_NE(message.find("the training files"), std::string::npos) << message;
}

TEST_P(FeatureFormatsTest, RejectsFilesWithoutALine) {
  const TemporaryFolder folder;
  const std::string zeros(1000, '\0');
  const auto empty = folder.write("empty", ""), missing = folder.path() / "missing";
  const auto binary = folder.write("binary", zeros + "\n\xff\xfe\n");
  for (const auto& file : {empty, missing, folder.path(), binary}) {
    const std::string message = data_message([&] { read_features(GetParam(), {file}); });
    EXPECT_TRUE(message.starts_with(file.string())) << message;
    EXPECT_NE(message.find("expected"), std::string::npos) << message;
    EXPECT_LT(message.size(), 500u) << message;
  }
}

/// Tests that run for every registered text format.
class FeatureTextFormatsTest : public FeatureFormatsTest {};

TEST_P(FeatureTextFormatsTest, RejectsAGzipFileThatWasCutOff) {
  const TemporaryFolder folder;
  const auto file = write_sample(folder, GetParam(), "", [](const std::string& text) {
    const std::string bytes = testing::gzip(text);
    return bytes.substr(0, bytes.size() / 2);
  });
  for (const std::string options : {"on_error: fail", "on_error: skip"}) {
    const std::string message = data_message([&] { read_features(GetParam(), {file}, options); });
    EXPECT_TRUE(message.starts_with(file.string() + ":")) << message;
    EXPECT_NE(message.find("cannot be read further"), std::string::npos) << message;
  }
}

TEST_P(FeatureTextFormatsTest, RejectsOrSkipsAMalformedLine) {
  const TemporaryFolder folder;
  const FeatureLists lists = read_features(GetParam(), {write_sample(folder, GetParam())}).lists;
  const auto file = write_sample(folder, GetParam(), sample().bad_line + "\n");
  for (const auto& [suffix, content] : sample().beside)  // list sizes count the malformed line too
    folder.write(GetParam() + suffix, content + "1\n");
  const std::string message = data_message([&] { read_features(GetParam(), {file}); });
  EXPECT_TRUE(message.starts_with(file.string() + ":")) << message;
  EXPECT_NE(message.find("; expected "), std::string::npos) << message;
  const auto [kept, notes] = read_features(GetParam(), {file}, "on_error: skip");
  expect_equal(kept, lists);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find(": 1 of "), std::string::npos) << notes[0];
  EXPECT_TRUE(notes[0].ends_with(message)) << notes[0];
}

std::vector<std::string> names(bool text_only) {
  std::vector<std::string> all;
  for (const OptionType& format : feature_formats())
    if (!text_only || !testing::format_samples().at(format.name).text.empty())
      all.push_back(format.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, FeatureFormatsTest, ::testing::ValuesIn(names(false)),
                         [](const auto& format) { return format.param; });
INSTANTIATE_TEST_SUITE_P(All, FeatureTextFormatsTest, ::testing::ValuesIn(names(true)),
                         [](const auto& format) { return format.param; });

TEST(FeatureFormatTableTest, EveryFormatHasHelp) {
  for (const OptionType& format : feature_formats())
    EXPECT_TRUE(format.help.ends_with('.')) << format.name;
}

}  // namespace
}  // namespace ultr::feature_format_test
