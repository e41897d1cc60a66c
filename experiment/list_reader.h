#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "data/formats/feature_format.h"
#include "data/log/id_names.h"
#include "data/text/raw_log.h"

namespace ultr {

/// A reader of lists from files, for a model that was trained on lists of the same kind. Memory
/// does not grow with the number of lists in click logs, svmlight, lightgbm and columns (which are
/// memory-mapped). baidu_annotations keeps one file in memory, since its lists are spread over it.
class ListReader {
 public:
  using Files = std::vector<std::filesystem::path>;
  /// Receives one list and its features: row-major [documents, features], empty for click logs. The
  /// list always has positions; its documents, clicks and labels are empty if the files have none.
  /// Both arguments are valid during the call only.
  using Take = std::function<void(const RawList& list, std::span<const float> features)>;

  virtual ~ListReader() = default;
  /// Reads files and passes their lists to `take` in order. Calls `progress` with the number of
  /// bytes read from disk; adds to `notes` what was left out, and to `names` the names of ids that
  /// are texts. A DataError from `take` is reported with the list's place in the file, and treated
  /// as malformed input if the format's options say to skip that. Throws DataError as LogReader and
  /// FeatureFormat do.
  virtual void read(const Files& files, const std::function<void(std::uint64_t bytes)>& progress,
                    std::vector<std::string>& notes, IdNames& names, const Take& take) const = 0;
  /// Returns the number of bytes that reading reports as progress, 0 if unknown.
  virtual std::uint64_t bytes_to_read(const Files& files) const { return bytes_of(files); }
};

/// Returns a reader of click logs and of lists to score, which have no features. `rules.progress`
/// is not used.
std::unique_ptr<ListReader> click_log_reader(LogReader read, ReadRules rules);

/// Returns a reader of lists with `features` features, which may be NaN if `missing`. `format` and
/// `vocabulary` must outlive it. Documents of files without positions are displayed at 0, 1, ....
std::unique_ptr<ListReader> feature_list_reader(const FeatureFormat& format, std::size_t features,
                                                bool missing, Vocabulary& vocabulary);

}  // namespace ultr
