#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/formats/feature_format.h"
#include "data/formats/raw_log.h"

namespace ultr {

/// Reads lists from files one after the other, for a model that was trained on lists of the same
/// kind. Memory does not grow with their number, as far as their format allows: it does not for
/// click logs, svmlight, lightgbm and columns (which are memory-mapped); baidu_annotations keeps a
/// file, since its lists are spread over it.
class ListReader {
 public:
  using Files = std::vector<std::filesystem::path>;
  /// A list, whose documents, clicks and labels may be empty if the files do not have them, but not
  /// its positions; and its features, row-major [documents, features], empty in click logs. Both
  /// are valid during the call.
  using Take = std::function<void(const RawList& list, std::span<const float> features)>;

  virtual ~ListReader() = default;
  /// Reads files; `progress` hears of bytes that were read off the disk, `notes` of what was left
  /// out. A DataError that `take` throws is put at the list's place in the file, and is malformed
  /// where the format's options say to skip what is. Throws DataError as LogReader and
  /// FeatureFormat do.
  virtual void read(const Files& files, const std::function<void(std::uint64_t bytes)>& progress,
                    std::vector<std::string>& notes, const Take& take) const = 0;
  /// The bytes that reading tells as progress, 0 if unknown.
  virtual std::uint64_t bytes_to_read(const Files& files) const;
};

/// Reads click logs, whose lists have no features. `rules.progress` is not used.
std::unique_ptr<ListReader> click_log_reader(LogReader read, ReadRules rules);

/// Reads feature lists with so many features, of a format that must outlive the reader. Documents
/// of files without positions stand at 0, 1, ....
std::unique_ptr<ListReader> feature_list_reader(const FeatureFormat& format, std::size_t features);

}  // namespace ultr
