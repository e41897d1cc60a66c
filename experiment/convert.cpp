#include "experiment/convert.h"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "data/click_log_features.h"
#include "data/columns.h"
#include "data/error.h"
#include "data/feature_format.h"
#include "data/readers.h"
#include "experiment/data_options.h"
#include "experiment/progress.h"
#include "experiment/progress_bar.h"
#include "options/config_tree.h"
#include "options/read.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names(const std::vector<OptionType>& types) {
  std::vector<std::string> all;
  for (const OptionType& type : types) all.push_back(type.name);
  return all;
}

/// The format with its options.
std::unique_ptr<Options> configured(const Conversion& conversion) {
  const auto& formats = conversion_formats();
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const OptionType& type) {
    return type.name == conversion.format;
  });
  if (found == formats.end())
    throw ConfigError(fmt::format("there is no format '{}'; expected one of {}", conversion.format,
                                  fmt::join(names(formats), ", ")));
  ConfigNode tree;
  tree.kind = ConfigNode::Kind::map;
  for (const std::string& assignment : conversion.options) override_config(tree, assignment);
  std::unique_ptr<Options> format = found->make();
  read_options(tree, *format);
  return format;
}

std::string summary(const FeatureLists& lists) {
  const FeatureColumns& columns = lists.columns();
  std::string text = fmt::format("{} lists, {} documents, {} features", lists.lists(),
                                 lists.documents(), lists.features());
  for (const auto& [name, there] :
       {std::pair("positions", !columns.positions.empty()),
        std::pair("clicks", !columns.clicks.empty()), std::pair("labels", !columns.labels.empty()),
        std::pair("propensities", !columns.propensities.empty())})
    if (there) text += fmt::format(", {}", name);
  return text;
}

}  // namespace

const std::vector<OptionType>& conversion_formats() {
  static const std::vector<OptionType> formats = [] {
    std::vector<OptionType> all = feature_formats();
    const std::vector<std::string> with_features = names(all);
    for (const ReaderType& log : reader_types()) {
      if (std::count(with_features.begin(), with_features.end(), log.name) > 0) continue;
      all.push_back({log.name, log.help, [&log]() -> std::unique_ptr<Options> {
                       return std::make_unique<ClickLogFeatureFormat>(log.make());
                     }});
    }
    return all;
  }();
  return formats;
}

void convert_dataset(const Conversion& conversion) {
  const std::unique_ptr<Options> options = configured(conversion);
  auto& format = static_cast<FeatureFormat&>(*options);
  std::error_code ignored;
  if (fs::exists(conversion.output, ignored))  // before hours of reading
    throw DataError(fmt::format("{}: is there already; expected a new name", conversion.output));
  const auto find = [](const std::string& file) { return find_data_file(file, "").string(); };
  format.locate_files(find);
  FeatureFormat::Files files;
  for (const std::string& file : conversion.files) files.emplace_back(find(file));

  std::vector<std::string> notes;
  FeatureLists lists;
  {
    ProgressBar bar(stderr, conversion.format, format.bytes_to_read(files), "B");
    lists = format.read(
        files, {.features = 0, .progress = [&](std::uint64_t bytes) { bar.add(bytes); }}, notes);
  }
  for (const std::string& note : notes) fmt::print(stderr, "{}\n", note);
  write_columns(conversion.output, lists);
  fmt::print("{}: {}\n", conversion.output, summary(lists));
}

}  // namespace ultr
