#include <algorithm>
#include <memory>

#include "base/files/npy.h"
#include "data/columns/columns.h"
#include "data/features/feature_lists_builder.h"
#include "data/features/feature_scaling.h"
#include "data/formats/feature_format.h"
#include "data/formats/propensities.h"
#include "data/log/pair_dictionary.h"
#include "data/readers.h"
#include "fuzz/input_folder.h"
#include "fuzz/target.h"
#include "options/config_tree.h"
#include "options/read.h"

namespace ultr::fuzz {
namespace {

using Path = std::filesystem::path;

/// The format whose input is a folder of columns. All others read a file.
constexpr const char* folder_format = "columns";
/// The format that reads lists without clicks in another way.
constexpr const char* scored_format = "table";

/// Returns a target that writes its bytes to a file and reads that.
Target file_target(const std::string& name, const std::function<bool(const Path& file)>& read) {
  return {name, [folder = std::make_shared<InputFolder>(), read](std::string_view bytes) {
            return read(folder->write("input", bytes));
          }};
}

/// Returns a target that replaces one file of the folder `path` below `folder` and reads that.
Target folder_target(const std::string& name, const std::shared_ptr<InputFolder>& folder,
                     const Path& path, const std::function<bool(const Path& folder)>& read) {
  return {name, [folder, path, read](std::string_view bytes) {
            folder->replace_one(bytes);
            return read(folder->path() / path);
          }};
}

/// Returns a folder with the columns of two lists.
std::shared_ptr<InputFolder> column_folder() {
  FeatureListsBuilder builder;
  for (std::uint64_t i = 0; i < 3; ++i) {
    if (i != 1) builder.start_list(7 + i);
    builder.add({.id = 5 + i, .click = std::uint8_t{i == 1}, .label = 1}, 2)[0] = 1;
  }
  auto folder = std::make_shared<InputFolder>();
  write_columns(folder->path() / "columns", builder.build());
  return folder;
}

bool read_log(const std::string& format, const Path& path) {
  bool accepted = false;
  for (const bool skip : {false, true})
    for (const bool scores_only : {false, true}) {
      if (scores_only && format != scored_format) continue;
      accepted |= accepts([&] {
        IdNames names;
        const ReadRules rules{.skip_malformed = skip, .names = &names, .scores_only = scores_only};
        log_reader(format)(path, rules, [](const RawList&) {});
      });
    }
  return accepted;
}

/// The columns of a table whose features are fuzzed.
constexpr const char* table_columns =
    "columns: {features: [price], bias_features: [height], propensity: p, user: user, weight: w}\n";

/// A format of feature lists: as it is, and if it reads text, leaving out rows that are malformed.
class FeatureReaders {
 public:
  explicit FeatureReaders(const std::string& format) {
    const std::string options = format == "table" ? table_columns : "";
    add(format, options);
    if (dynamic_cast<const FeatureTextFormat*>(&choices_.front().as<FeatureFormat>()) != nullptr)
      add(format, options + "on_error: skip");
  }
  bool read(const Path& path) const {
    bool accepted = false;
    for (const Choice& choice : choices_)
      accepted |= accepts([&] {
        std::vector<std::string> notes;
        choice.as<FeatureFormat>().read({path}, {}, notes);
      });
    return accepted;
  }

 private:
  void add(const std::string& format, const std::string& options) {
    choices_.emplace_back(feature_formats(), format, "format");
    if (!options.empty()) read_options(parse_config(options, "options"), *choices_.back().options);
  }
  std::vector<Choice> choices_;
};

/// Returns a target for files of the format with lists of features. The sizes of LightGBM's lists
/// stand in a second file: in the input after the first byte 0.
Target feature_target(const std::string& format) {
  return {"features_" + format,
          [folder = std::make_shared<InputFolder>(),
           readers = std::make_shared<FeatureReaders>(format)](std::string_view bytes) {
            const std::size_t end = std::min(bytes.find('\0'), bytes.size());
            folder->write("input.query", bytes.substr(std::min(end + 1, bytes.size())));
            return readers->read(folder->write("input", bytes.substr(0, end)));
          }};
}

bool read_dictionary(const Path& folder) {
  const bool loaded = accepts([&] { PairDictionary::load(folder); });
  return accepts([&] { PairDictionary::map(folder).index(); }) && loaded;
}

Target dictionary_target() {
  const auto folder = std::make_shared<InputFolder>();
  PairDictionary dictionary;
  for (const unsigned query : {3u, 1u, 4u}) dictionary.add(query, 5);
  dictionary.save(folder->path());
  return folder_target("dictionary", folder, ".", read_dictionary);
}

template <class T>
bool read_array(const Path& file) {
  const bool read = accepts([&] { read_npy<T>(file); });
  return accepts([&] { map_npy<T>(file); }) && read;
}

}  // namespace

std::vector<Target> data_targets() {
  std::vector<Target> all;
  for (const ReaderType& type : reader_types()) {
    const auto read = [name = type.name](const Path& path) { return read_log(name, path); };
    all.push_back(type.name == folder_format
                      ? folder_target("log_" + type.name, column_folder(), "columns", read)
                      : file_target("log_" + type.name, read));
  }
  for (const OptionType& type : feature_formats()) {
    const auto read = [readers = std::make_shared<FeatureReaders>(type.name)](const Path& path) {
      return readers->read(path);
    };
    all.push_back(type.name == folder_format
                      ? folder_target("features_" + type.name, column_folder(), "columns", read)
                      : feature_target(type.name));
  }
  all.push_back(file_target("npy_float", read_array<float>));
  all.push_back(file_target("npy_uint16", read_array<std::uint16_t>));
  all.push_back(file_target(
      "propensities", [](const Path& file) { return accepts([&] { read_propensities(file); }); }));
  all.push_back(file_target("feature_scaling", [](const Path& file) {
    return accepts([&] { FeatureScaling::load(file, {}); });
  }));
  all.push_back(dictionary_target());
  return all;
}

}  // namespace ultr::fuzz
