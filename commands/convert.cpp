#include "commands/convert.h"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/file.h"
#include "base/progress_bar.h"
#include "base/stop_signals.h"
#include "data/columns/columns.h"
#include "data/columns/convert_click_log.h"
#include "data/formats/feature_format.h"
#include "data/readers.h"
#include "experiment/data_options.h"
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

bool has(const std::vector<OptionType>& types, const std::string& name) {
  return std::any_of(types.begin(), types.end(),
                     [&](const OptionType& type) { return type.name == name; });
}

OptionType log_type(const ReaderType& log) {
  return {log.name, log.help, [&log]() -> std::unique_ptr<Options> {
            return std::make_unique<ClickLogConversion>(log.make());
          }};
}

/// The formats that a conversion can be of.
std::vector<OptionType> formats_of(const Conversion& conversion) {
  if (!conversion.click_log) return conversion_formats();
  std::vector<OptionType> logs;
  for (const ReaderType& log : reader_types()) logs.push_back(log_type(log));
  return logs;
}

/// The format with its options.
std::unique_ptr<Options> configured(const Conversion& conversion) {
  const std::vector<OptionType> formats = formats_of(conversion);
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const OptionType& type) {
    return type.name == conversion.format;
  });
  if (found == formats.end())
    throw ConfigError(fmt::format("there is no format '{}'{}; expected one of {}",
                                  conversion.format, conversion.click_log ? " of click logs" : "",
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
    for (const ReaderType& log : reader_types())
      if (!has(feature_formats(), log.name)) all.push_back(log_type(log));
    return all;
  }();
  return formats;
}

void convert_dataset(const Conversion& conversion) {
  const std::unique_ptr<Options> options = configured(conversion);
  auto* const log = dynamic_cast<ClickLogConversion*>(options.get());
  auto* const lists = dynamic_cast<FeatureFormat*>(options.get());
  if (log != nullptr) log->check();
  expect_new_name(conversion.output);  // before hours of reading
  const auto find = [](const std::string& file) { return find_data_file(file, "").string(); };
  if (log != nullptr) log->locate_files(find);
  if (lists != nullptr) lists->locate_files(find);
  std::vector<fs::path> files;
  std::uint64_t bytes = 0;
  for (const std::string& file : conversion.files)
    bytes += bytes_of(files.emplace_back(find(file)));

  const StopSignals signals;
  std::vector<std::string> notes;
  std::string written;
  {
    ProgressBar bar(stderr, conversion.format, bytes, "B");
    const auto progress = [&](std::uint64_t read) {
      bar.add(read);
      if (signals.received() != 0) throw Interrupted::for_good(signals.received());
    };
    if (log != nullptr) {
      NewFolder folder(conversion.output);
      written = log->convert(files, folder.temporary(), progress, notes);
      folder.finish();
    } else {
      const FeatureLists read = lists->read(files, {.features = 0, .progress = progress}, notes);
      write_columns(conversion.output, read);
      written = summary(read);
    }
  }
  for (const std::string& note : notes) fmt::print(stderr, "{}\n", note);
  fmt::print("{}: {}\n", conversion.output, written);
}

}  // namespace ultr
