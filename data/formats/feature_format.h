#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "data/features/feature_lists_builder.h"
#include "data/text/read_options.h"
#include "options/fields.h"

namespace ultr {

class Vocabulary;

/// Settings for reading feature lists.
struct FeatureReading {
  /// Number of columns of the feature matrix. A document with more features is malformed, for
  /// instance in a test file when the training files have fewer. 0: as many as the files have.
  std::size_t features = 0;
  /// Called repeatedly with the number of bytes read from disk since the last call.
  std::function<void(std::uint64_t bytes)> progress = {};
  bool missing = false;      // features may be missing: NaN
  IdNames* names = nullptr;  // where names of ids that are texts are kept; may be null
  /// Where words of texts become tokens; null: files with texts are refused.
  Vocabulary* vocabulary = nullptr;
};

/// A file format of feature lists, with its options.
class FeatureFormat : public Options {
 public:
  using Files = std::vector<std::filesystem::path>;

  /// Reads files in order into one set of lists. Appends a line to `notes` for what was left out of
  /// a file. Throws DataError with file, line, what was found and what was expected, for malformed
  /// input (unless the format's options skip it) and for a file without a list.
  virtual FeatureLists read(const Files& files, const FeatureReading& reading,
                            std::vector<std::string>& notes) const = 0;

  /// Reads files as `read` does and passes their lists to `take` in parts, in order, so that not
  /// all lists need to be in memory. By default, all lists are one part. If all parts must have the
  /// same number of features, `reading.features` must give it.
  virtual void read_parts(const Files& files, const FeatureReading& reading,
                          std::vector<std::string>& notes,
                          const std::function<void(const FeatureLists&)>& take) const;

  /// Returns the numbers, from 1, of the features that the format knows to be bias features.
  virtual std::vector<std::int64_t> bias_features() const { return {}; }
  /// Returns the names of the features; empty if the files do not name them.
  virtual std::vector<std::string> feature_names() const { return {}; }
  /// Returns true if the files may have the words of documents.
  virtual bool may_have_words() const { return false; }
  /// Returns the number of bytes that reading the files reports as progress.
  virtual std::uint64_t bytes_to_read(const Files& files) const { return bytes_of(files); }
  /// Replaces file names in the options by the paths that `find` returns for them.
  virtual void locate_files(const std::function<std::string(const std::string& file)>&) {}
};

/// Base of text formats with one document per line.
class FeatureTextFormat : public FeatureFormat {
 public:
  void fields(Fields& f) override { malformed_.fields(f); }
  FeatureLists read(const Files& files, const FeatureReading& reading,
                    std::vector<std::string>& notes) const final;
  /// Parts are whole lists with about 1 MiB of features.
  void read_parts(const Files& files, const FeatureReading& reading,
                  std::vector<std::string>& notes,
                  const std::function<void(const FeatureLists&)>& take) const final;

 protected:
  /// Adds the lists of one file to a builder.
  using FileReader = std::function<ReadReport(const std::filesystem::path& file,
                                              const ReadRules& rules, FeatureListsBuilder& into)>;
  /// Returns the reader of the files. It may look at all of them first.
  virtual FileReader file_reader(const Files& files, const FeatureReading& reading,
                                 const ReadRules& rules) const = 0;
  /// Returns the value of features that a file leaves out, if features may be missing.
  virtual float absent() const { return 0; }

 private:
  void read_to(FeatureListsBuilder& builder, const Files& files, const FeatureReading& reading,
               std::vector<std::string>& notes) const;

  MalformedLines malformed_;
};

}  // namespace ultr
