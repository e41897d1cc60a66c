#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/columns/pair_column_writer.h"
#include "data/formats/log_format.h"
#include "data/formats/read_options.h"

namespace ultr {

/// A format of click logs, with how its lists become columns that lie ready for training: the
/// options of both.
class ClickLogConversion final : public Options {
 public:
  using Files = std::vector<std::filesystem::path>;

  explicit ClickLogConversion(std::unique_ptr<LogFormat> format) : format_(std::move(format)) {
    reading_.max_positions = 1000;  // what trains on the columns has a limit of its own
  }

  void fields(Fields& f) override;
  /// Throws ConfigError for options that contradict each other.
  void check() const;
  /// Replaces the option's own folder by where `find` says it is.
  void locate_files(const std::function<std::string(const std::string& file)>& find);

  /// Reads files, one after the other, and fills a folder that is there, in memory that does not
  /// grow with them. `progress` is told the bytes that were read, and 0 now and then when all are;
  /// what it throws ends it. Returns what was written, "2 lists, 3 documents, ..."; what was left
  /// out is told in `notes`, a line each. Throws DataError for wrong data or what cannot be
  /// written.
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
