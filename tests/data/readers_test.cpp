#include "data/readers.h"

#include <set>

#include <gtest/gtest.h>

#include "data/format_samples.h"
#include "data/gzip.h"
#include "data/read_lists.h"
#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::readers_test {
namespace {

TEST(ReaderTypesTest, AllReadTheirSampleAsItIsAndPacked) {
  for (const ReaderType& type : reader_types()) {
    const testing::TemporaryFolder folder;
    const auto expect_sample = [&](const std::filesystem::path& file) {
      const auto [lists, report] = testing::read_lists(log_reader(type.name), file);
      ASSERT_EQ(lists.size(), 2u) << type.name;
      EXPECT_EQ(lists[0].documents[0], 5u) << type.name;
      EXPECT_EQ(lists[0].clicks[0], 0u) << type.name;
      EXPECT_EQ(lists[0].positions[0], 0u) << type.name;
      EXPECT_EQ(report.lists, 2u) << type.name;
      EXPECT_EQ(report.malformed, 0u) << type.name;
    };
    expect_sample(write_sample(folder, type.name));
    if (!testing::format_samples().at(type.name).text.empty())
      expect_sample(write_sample(folder, type.name, "", testing::gzip));
  }
}

TEST(ReaderTypesTest, AllRejectAGzipFileThatWasCutOff) {
  for (const ReaderType& type : reader_types()) {
    if (testing::format_samples().at(type.name).text.empty()) continue;
    const testing::TemporaryFolder folder;
    const auto file = write_sample(folder, type.name, "", [](const std::string& text) {
      const std::string bytes = testing::gzip(text);
      return bytes.substr(0, bytes.size() / 2);
    });
    for (const bool skip : {false, true}) {
      const std::string message = testing::data_message(
          [&] { testing::read_lists(log_reader(type.name), file, {.skip_malformed = skip}); });
      EXPECT_TRUE(message.starts_with(file.string() + ":")) << message;
      EXPECT_NE(message.find("cannot be read further"), std::string::npos) << message;
    }
  }
}

TEST(ReaderTypesTest, AllRejectOrSkipAMalformedLine) {
  for (const ReaderType& type : reader_types()) {
    const std::string& bad_line = testing::format_samples().at(type.name).bad_line;
    if (bad_line.empty()) continue;
    const testing::TemporaryFolder folder;
    const auto file = write_sample(folder, type.name, bad_line + "\n");
    const std::string message =
        testing::data_message([&] { testing::read_lists(log_reader(type.name), file); });
    EXPECT_TRUE(message.starts_with(file.string() + ":")) << message;
    EXPECT_NE(message.find("; expected "), std::string::npos) << message;
    const auto [lists, report] =
        testing::read_lists(log_reader(type.name), file, {.skip_malformed = true});
    EXPECT_EQ(lists.size(), 2u) << type.name;
    EXPECT_EQ(report.malformed, 1u) << type.name;
    EXPECT_EQ(report.first_malformed, message);
  }
}

TEST(ReaderTypesTest, AllReportTheBytesTheyRead) {
  for (const ReaderType& type : reader_types()) {
    const testing::TemporaryFolder folder;
    const auto file = write_sample(folder, type.name);
    std::uint64_t bytes = 0;
    testing::read_lists(log_reader(type.name), file,
                        {.progress = [&](std::uint64_t more) { bytes += more; }});
    const bool text = !testing::format_samples().at(type.name).text.empty();
    EXPECT_GT(bytes, 0u) << type.name;
    EXPECT_EQ(bytes, text ? std::filesystem::file_size(file) : bytes) << type.name;
  }
}

TEST(ReaderTypesTest, AllRejectFilesThatHaveNoList) {
  const testing::TemporaryFolder folder;
  const auto empty = folder.write("empty", ""), missing = folder.path() / "missing";
  const std::string zeros(1000, '\0');
  const auto binary = folder.write("binary", zeros + "\n\xff\xfe\n");
  std::set<std::string> names;
  for (const ReaderType& type : reader_types()) {
    EXPECT_TRUE(names.insert(type.name).second) << type.name;
    EXPECT_TRUE(type.help.ends_with('.')) << type.name;
    for (const auto& file : {empty, missing, folder.path(), binary})
      for (const bool skip : {false, true}) {
        const std::string message = testing::data_message(
            [&] { testing::read_lists(log_reader(type.name), file, {.skip_malformed = skip}); });
        EXPECT_TRUE(message.starts_with(file.string() + ":")) << message;
        EXPECT_NE(message.find("expected"), std::string::npos) << message;
        EXPECT_LT(message.size(), 500u) << message;
      }
  }
}

}  // namespace
}  // namespace ultr::readers_test
