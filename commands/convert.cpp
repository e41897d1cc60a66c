#include "commands/convert.h"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/progress_bar.h"
#include "base/standard_output.h"
#include "base/stop_signals.h"
#include "commands/command_table.h"
#include "data/columns/columns.h"
#include "data/columns/convert_click_log.h"
#include "data/formats/feature_format.h"
#include "data/readers.h"
#include "experiment/data_options.h"
#include "experiment/task.h"
#include "options/config_tree.h"
#include "options/read.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

OptionType log_type(const ReaderType& log) {
  return {log.name, log.help, [log]() -> std::unique_ptr<Options> {
            return std::make_unique<ClickLogConversion>(log.make());
          }};
}

}  // namespace

std::vector<OptionType> click_log_conversions(const Registry& registry) {
  std::vector<OptionType> logs;
  for (const ReaderType& log : registry.readers())
    if (log.make()->may_have_features() ||
        std::ranges::find(feature_formats(), log.name, &OptionType::name) ==
            feature_formats().end())
      logs.push_back(log_type(log));
  return logs;
}

std::vector<OptionType> feature_conversions(const Registry& registry) {
  const std::vector<OptionType> logs = click_log_conversions(registry);
  std::vector<OptionType> lists = feature_formats();
  std::erase_if(lists, [&](const OptionType& type) {
    return std::ranges::find(logs, type.name, &OptionType::name) != logs.end();
  });
  return lists;
}

namespace {

std::string summary(const FeatureLists& lists) {
  const FeatureColumns& columns = lists.columns();
  std::string text = fmt::format("{} lists, {} documents, {} features", lists.lists(),
                                 lists.documents(), lists.features());
  for (const auto& [name, there] :
       {std::pair("positions", !columns.positions.empty()),
        std::pair("clicks", !columns.clicks.empty()), std::pair("labels", !columns.labels.empty()),
        std::pair("propensities", !columns.propensities.empty()),
        std::pair("words", lists.has_words())})
    if (there) text += fmt::format(", {}", name);
  for (const Signal signal : all_signals)
    if (!columns.signals[signal].empty()) text += fmt::format(", {}", type_of(signal).plural);
  return text;
}

/// Converts files to a folder of .npy columns (data/columns/columns.h), all of it or nothing. Click
/// logs are written so that they can be memory-mapped, in memory that does not grow with them;
/// lists with features are written as they are.
class ConvertTask final : public Task {
 public:
  void fields(Fields& f) override {
    f.text("format", format_, "Format of the files, as in --list.");
    f.texts("files", files_, "Files, read one after the other.");
    f.text("output", output_, "A new folder.");
    f.texts("set", set_, "Options of the format, as in --list: on_error=skip, ids=hash.");
    f.boolean("click_log", click_log_,
              "Write sessions for click models, without the features that the format has.");
  }
  std::vector<ArgumentForm> argument_forms() const override {
    return {{"format", "FORMAT", ArgumentForm::Kind::required_positional},
            {"files", "FILE", ArgumentForm::Kind::required_positional},
            {"output", "FOLDER", ArgumentForm::Kind::required_option},
            {"set", "KEY=VALUE"}};
  }
  TaskResults run(const TaskContext& context) override;

 private:
  /// Returns the format with its options.
  std::unique_ptr<Options> configured(const Registry& registry) const;

  std::string format_, output_;
  std::vector<std::string> files_, set_;
  bool click_log_ = false;
};

std::unique_ptr<Options> ConvertTask::configured(const Registry& registry) const {
  std::vector<OptionType> formats;
  if (click_log_) {
    for (const ReaderType& log : registry.readers()) formats.push_back(log_type(log));
  } else {
    formats = feature_conversions(registry);
    for (OptionType& log : click_log_conversions(registry)) formats.push_back(std::move(log));
  }
  const auto found = std::ranges::find(formats, format_, &OptionType::name);
  if (found == formats.end()) {
    std::vector<std::string> names;
    for (const OptionType& type : formats) names.push_back(type.name);
    const std::string near = nearest_name(format_, names);
    throw ConfigError(fmt::format("there is no format '{}'{}; expected one of {}{}", format_,
                                  click_log_ ? " of click logs" : "", fmt::join(names, ", "),
                                  near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
  }
  ConfigNode tree;
  tree.kind = ConfigNode::Kind::map;
  for (const std::string& assignment : set_) override_config(tree, assignment);
  std::unique_ptr<Options> format = found->make();
  read_options(tree, *format);
  return format;
}

TaskResults ConvertTask::run(const TaskContext& context) {
  const std::unique_ptr<Options> options = configured(context.registry);
  auto* const log = dynamic_cast<ClickLogConversion*>(options.get());
  auto* const lists = dynamic_cast<FeatureFormat*>(options.get());
  if (log != nullptr) log->check();
  expect_new_name(output_);  // before hours of reading
  const auto find = [](const std::string& file) { return find_data_file(file, "").string(); };
  if (log != nullptr) log->locate_files(find);
  if (lists != nullptr) lists->locate_files(find);
  std::vector<fs::path> files;
  std::uint64_t bytes = 0;
  for (const std::string& file : files_) bytes += bytes_of(files.emplace_back(find(file)));

  const StopSignals signals;
  std::vector<std::string> notes;
  std::string written;
  {
    ProgressBar bar(stderr, format_, bytes, "B");
    const auto progress = [&](std::uint64_t read) {
      bar.add(read);
      signals.expect_none();
    };
    if (log != nullptr) {
      NewFolder folder(output_);
      written = log->convert(files, folder.temporary(), progress, notes);
      folder.finish();
    } else {
      IdNames names;
      const FeatureLists read =
          lists->read(files, {.progress = progress, .missing = true, .names = &names}, notes);
      write_columns(output_, read, names);
      written = summary(read);
    }
  }
  for (const std::string& note : notes) print_to(stderr, "{}\n", note);
  print_to(stdout, "{}: {}\n", output_, written);
  return {};
}

}  // namespace

std::unique_ptr<Task> make_convert(const Registry&) { return std::make_unique<ConvertTask>(); }

}  // namespace ultr
