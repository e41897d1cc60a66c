#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "data/features/feature_lists_builder.h"
#include "data/formats/raw_log.h"
#include "options/fields.h"

namespace ultr {

/// How feature lists are to be read.
struct FeatureReading {
  /// Columns that the matrix shall have: a document with more is malformed, for instance one of a
  /// test file when training files have fewer. 0: as many as the files name.
  std::size_t features = 0;
  /// Called now and then with the bytes that were read off the disk since the last call.
  std::function<void(std::uint64_t bytes)> progress = {};
};

/// A file format of feature lists, with its options.
class FeatureFormat : public Options {
 public:
  using Files = std::vector<std::filesystem::path>;

  /// Reads files, one after the other, into one set of lists. What was left out is told in `notes`,
  /// a line each. Throws DataError with file, line, what was found and what was expected, for what
  /// is malformed (unless the format's options say to skip it) and for a file without a list.
  virtual FeatureLists read(const Files& files, const FeatureReading& reading,
                            std::vector<std::string>& notes) const = 0;

  /// Reads files as `read` does, and hands over their lists part by part in order, so that not all
  /// need to be in memory, as far as the format allows: by default all are one part.
  /// `reading.features` must be given where parts shall have as many.
  virtual void read_parts(const Files& files, const FeatureReading& reading,
                          std::vector<std::string>& notes,
                          const std::function<void(const FeatureLists&)>& take) const;

  /// The bytes that reading files tells as progress, 0 if they cannot be known: the sizes of files.
  virtual std::uint64_t bytes_to_read(const Files& files) const;
  /// Replaces the options' own files by where `find` says they are.
  virtual void locate_files(const std::function<std::string(const std::string& file)>& find);
};

/// Formats of text with a document a line.
class FeatureTextFormat : public FeatureFormat {
 public:
  void fields(Fields& f) override;
  FeatureLists read(const Files& files, const FeatureReading& reading,
                    std::vector<std::string>& notes) const final;
  /// Parts are whole lists of about a megabyte of features.
  void read_parts(const Files& files, const FeatureReading& reading,
                  std::vector<std::string>& notes,
                  const std::function<void(const FeatureLists&)>& take) const final;

 protected:
  /// Adds the lists of a file to a builder.
  using FileReader = std::function<ReadReport(const std::filesystem::path& file,
                                              const ReadRules& rules, FeatureListsBuilder& into)>;
  /// What reads each of the files, which it may look at before.
  virtual FileReader file_reader(const Files& files, const FeatureReading& reading,
                                 const ReadRules& rules) const = 0;

 private:
  void read_to(FeatureListsBuilder& builder, const Files& files, const FeatureReading& reading,
               std::vector<std::string>& notes) const;

  std::string on_error_ = "fail";
};

}  // namespace ultr
