#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/format_samples.h"
#include "data/formats/feature_format.h"
#include "data/gzip.h"
#include "data/read_features.h"
#include "data/read_lists.h"
#include "data/readers.h"
#include "testing/allocations.h"

/// Damages the sample of every registered reader in every way that needs no knowledge of its
/// format. The reader must read what is there or throw a DataError whose message is one line that
/// names the place.
namespace ultr::damaged_files_test {
namespace {

namespace fs = std::filesystem;

/// Largest allocation that a small file may cause: the counts of each of 2^20 words.
constexpr std::size_t most_bytes = std::size_t{1} << 25;
constexpr std::size_t longest_message = 500;

/// A registered reader of click logs or feature lists.
struct DamagedReader {
  std::string name, format;
  /// Reads a file, skipping malformed lines if `skip`. Throws what the reader throws.
  std::function<void(const fs::path& file, bool skip)> read;

  friend void PrintTo(const DamagedReader& reader, std::ostream* out) { *out << reader.name; }
};

void expect_whole(const RawList& list) {
  EXPECT_FALSE(list.documents.empty());
  // Judged lists need no clicks.
  EXPECT_EQ((list.clicks.empty() ? list.labels.size() : list.clicks.size()), list.documents.size());
  EXPECT_EQ(list.positions.size(), list.documents.size());
  EXPECT_TRUE(std::is_sorted(list.positions.begin(), list.positions.end()));
  EXPECT_LT(list.positions.back(), ReadRules().max_positions);
  EXPECT_TRUE(list.labels.empty() || list.labels.size() == list.documents.size());
  EXPECT_TRUE(list.propensities.empty() || list.propensities.size() == list.documents.size());
}

bool is_text(const std::string& format) {
  return !testing::format_samples().at(format).text.empty();
}

std::vector<DamagedReader> readers() {
  std::vector<DamagedReader> all;
  for (const ReaderType& type : reader_types())
    all.push_back(
        {"log_of_" + type.name, type.name, [name = type.name](const fs::path& file, bool skip) {
           const ReadRules rules{.skip_malformed = skip};
           const auto read = testing::read_lists(log_reader(name), file, rules);
           EXPECT_FALSE(read.lists.empty());
           for (const RawList& list : read.lists) expect_whole(list);
         }});
  for (const OptionType& type : feature_formats())
    all.push_back({"features_of_" + type.name, type.name,
                   [name = type.name](const fs::path& file, bool skip) {
                     const std::string options = skip && is_text(name) ? "on_error: skip" : "";
                     const auto read = testing::read_features(name, {file}, options);
                     EXPECT_GT(read.lists.lists(), 0u);
                   }});
  return all;
}

/// Bytes to put in place of a file's, and how they differ.
struct DamagedBytes {
  std::string how, bytes;
};

/// Damages each byte in every way if ULTR_NIGHTLY is set, else by two of the others in turn.
std::vector<DamagedBytes> with_any_byte_damaged(const std::string& bytes) {
  constexpr std::array<char, 8> others = {'\0', '\xff', '\n', '\t', ' ', '-', 'x', '9'};
  static const std::size_t tried = std::getenv("ULTR_NIGHTLY") != nullptr ? others.size() : 2;
  std::vector<DamagedBytes> all;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::string at = " at byte " + std::to_string(i);
    all.push_back({"cut" + at, bytes.substr(0, i)});
    all.push_back({"without one" + at, bytes.substr(0, i) + bytes.substr(i + 1)});
    for (std::size_t k = 0; k < tried; ++k) {
      const char other = others[(i * tried + k) % others.size()];
      std::string changed = bytes;
      changed[i] = other;
      all.push_back({"byte " + std::to_string(static_cast<unsigned char>(other)) + at, changed});
    }
  }
  return all;
}

/// The bytes of a file with one number replaced, and how they differ.
struct DamagedNumber {
  std::string how, bytes;
  std::size_t line;  // of the number, from 1
};

std::vector<DamagedNumber> with_any_number_replaced(const std::string& text,
                                                    const std::vector<std::string>& others) {
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  std::vector<DamagedNumber> all;
  for (auto begin = text.begin(); begin != text.end();) {
    begin = std::find_if(begin, text.end(), is_digit);
    const auto end = std::find_if_not(begin, text.end(), is_digit);
    if (begin == text.end()) break;
    const auto line = static_cast<std::size_t>(std::count(text.begin(), begin, '\n')) + 1;
    for (const std::string& other : others)
      all.push_back({"'" + other + "' in place of '" + std::string(begin, end) + "' on line " +
                         std::to_string(line),
                     std::string(text.begin(), begin) + other + std::string(end, text.end()),
                     line});
    begin = end;
  }
  return all;
}

class DamagedFilesTest : public ::testing::TestWithParam<DamagedReader> {
 protected:
  DamagedFilesTest() : sample_(write_sample(folder_, GetParam().format)) {
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path()))
      if (entry.is_regular_file()) files_.push_back(entry.path());
  }

  /// Reads the sample. Returns the message of the DataError that the reader throws, empty if it
  /// throws none.
  std::string message(bool skip) const {
    testing::forget_largest_allocation();
    std::string message;
    try {
      GetParam().read(sample_, skip);
    } catch (const DataError& error) {
      message = error.what();
      EXPECT_THAT(message, ::testing::StartsWith(sample_.string()));
      EXPECT_THAT(message, ::testing::HasSubstr("; expected "));
      EXPECT_EQ(message.find_first_of(std::string_view("\n\r\0", 3)), std::string::npos) << message;
      EXPECT_LT(message.size(), longest_message) << message;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "not a DataError: " << error.what();
    }
    EXPECT_LE(testing::largest_allocation(), most_bytes);
    return message;
  }

  static void put(const fs::path& file, std::string_view bytes) {
    // Faster, since some file systems wait for a changed file to be written, but not for a new one.
    fs::remove(file);
    std::ofstream(file, std::ios::binary) << bytes;
  }

  testing::TemporaryFolder folder_;
  fs::path sample_;              // path that the reader is given
  std::vector<fs::path> files_;  // files of the sample
};

TEST_P(DamagedFilesTest, AnyByte) {
  for (const fs::path& file : files_) {
    const std::string whole = testing::read_text(file);
    for (const DamagedBytes& damaged : with_any_byte_damaged(whole)) {
      SCOPED_TRACE(file.filename().string() + " " + damaged.how);
      put(file, damaged.bytes);
      for (const bool skip : {false, true}) {
        const std::string refused = message(skip);
        // A shortened text may still be valid. A column states its length.
        if (!is_text(GetParam().format) && damaged.bytes.size() < whole.size()) {
          EXPECT_NE(refused, "");
        }
      }
      if (HasFailure()) return;
    }
    put(file, whole);
  }
}

TEST_P(DamagedFilesTest, AnyNumber) {
  const std::vector<std::string> no_numbers = {"word", "nan", "inf", "-inf", "0x1", "1e"};
  const std::vector<std::string> numbers = {"0",          "-1",         "1.5",
                                            "1e308",      "1e999",      "65536",
                                            "2147483647", "4294967296", "18446744073709551616"};
  if (!is_text(GetParam().format)) return;
  for (const fs::path& file : files_) {
    const std::string whole = testing::read_text(file);
    for (const bool is_number : {false, true})
      for (const auto& damaged :
           with_any_number_replaced(whole, is_number ? numbers : no_numbers)) {
        SCOPED_TRACE(file.filename().string() + ": " + damaged.how);
        put(file, damaged.bytes);
        const std::string refused = message(false);
        message(true);
        // A replaced number may be valid by itself but contradict another line, which is then
        // blamed.
        if (!is_number && !refused.empty()) {
          EXPECT_THAT(refused, ::testing::StartsWith(file.string() + ":" +
                                                     std::to_string(damaged.line) + ": "));
        }
        if (HasFailure()) return;
      }
    put(file, whole);
  }
}

TEST_P(DamagedFilesTest, AnyByteOfAGzipFile) {
  if (!is_text(GetParam().format)) return;
  for (const fs::path& file : files_) {
    const std::string whole = testing::read_text(file), packed = testing::gzip(whole);
    for (const DamagedBytes& damaged : with_any_byte_damaged(packed)) {
      SCOPED_TRACE(file.filename().string() + ".gz " + damaged.how);
      put(file, damaged.bytes);
      for (const bool skip : {false, true}) {
        const std::string refused = message(skip);
        if (damaged.how.starts_with("cut")) {
          EXPECT_NE(refused, "");
        }
      }
      if (HasFailure()) return;
    }
    put(file, whole);
  }
}

TEST_P(DamagedFilesTest, AnyFile) {
  for (const fs::path& file : files_) {
    SCOPED_TRACE(file.filename());
    const std::string whole = testing::read_text(file);
    fs::remove(file);
    for (const bool skip : {false, true}) message(skip);
    fs::create_directory(file);
    for (const bool skip : {false, true}) EXPECT_NE(message(skip), "");
    fs::remove(file);
    put(file, whole);
  }
  EXPECT_EQ(message(false), "");
}

INSTANTIATE_TEST_SUITE_P(All, DamagedFilesTest, ::testing::ValuesIn(readers()),
                         [](const auto& reader) { return reader.param.name; });

}  // namespace
}  // namespace ultr::damaged_files_test
