#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/columns/pair_column_writer.h"
#include "data/formats/log_format.h"
#include "data/text/read_options.h"

namespace ultr {

/// Converts click logs of one format to columns that can be memory-mapped. Its options are those of
/// reading, of numbering pairs and of the format.
class ClickLogConversion final : public Options {
 public:
  using Files = std::vector<std::filesystem::path>;

  explicit ClickLogConversion(std::unique_ptr<LogFormat> format) : format_(std::move(format)) {
    reading_.max_positions = 1000;  // training has its own limit
  }

  void fields(Fields& f) override;
  /// Throws ConfigError for options that contradict each other.
  void check() const;
  /// Replaces the folder of the option `dictionary` with the path that `find` returns.
  void locate_files(const std::function<std::string(const std::string& file)>& find);

  /// Reads files in order and writes columns to an existing folder, in bounded memory. Calls
  /// `progress` with the number of bytes read since the last call, and now and then with 0 once all
  /// are read; an exception from it aborts the work. Returns a summary, such as "2 lists, 3
  /// documents, ...". Appends a line to `notes` for what was left out of a file. Throws DataError
  /// for malformed input or if the folder cannot be written.
  std::string convert(const Files& files, const std::filesystem::path& folder,
                      const std::function<void(std::uint64_t bytes)>& progress,
                      std::vector<std::string>& notes) const;

 private:
  std::unique_ptr<PairColumnWriter> pairs(const std::filesystem::path& folder,
                                          const std::function<void()>& check) const;

  std::unique_ptr<LogFormat> format_;
  ReadOptions reading_;
  std::string ids_ = "sort", dictionary_;
  std::int64_t hash_rows_ = 0;
  double memory_ = 1;
};

}  // namespace ultr
