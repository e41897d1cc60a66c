#include "experiment/log_files.h"

#include "base/error.h"
#include "data/formats/dataset_reader.h"
#include "data/text/read_options.h"
#include "experiment/data_options.h"
#include "options/config_tree.h"

namespace ultr {
namespace {

/// The options of a click-log format read from files.
class LogFileOptions final : public DataOptions {
 public:
  explicit LogFileOptions(std::unique_ptr<LogFormat> format) : format_(std::move(format)) {
    reading_.max_positions = format_->usual_positions();
  }

  void fields(Fields& f) override {
    f.texts("train", train_, "Files of training sessions.");
    f.texts("valid", valid_, "Files of validation sessions.");
    f.texts("test", test_, "Files of test sessions.");
    f.texts("labels", labels_, "Files of judged lists for evaluating rankings.");
    f.section("split", split_, "Shares of the training sessions to hold out.");
    reading_.fields(f);
    format_->fields(f);
  }

  void check() const override {
    check_files(train_, valid_, test_, split_);
    if (format_->features() > 0)
      throw ConfigError(
          "data.columns.features is given, but a click log's pairs have no features; expected "
          "data: {format: feature_lists, reader: {type: table, columns: ...}, learn_from: clicks}, "
          "or no features");
  }

  void keep_training_only() override {
    for (auto* files : {&valid_, &test_, &labels_}) files->clear();
  }

  void locate_files(const std::filesystem::path& config_folder) override {
    for (auto* files : {&train_, &valid_, &test_, &labels_})
      for (std::string& file : *files) file = find_data_file(file, config_folder).string();
  }

  bool depends_on_seed() const override { return split_.depends_on_seed(); }

  void expect_readable() const override {
    const DatasetReader reader(format_->reader(), reading_.rules());
    for (const auto* files : {&train_, &valid_, &test_})
      reader.expect_readable(paths(*files), false);
    reader.expect_readable(paths(labels_), true);
  }

  std::unique_ptr<ListReader> list_reader(std::size_t, Vocabulary&) const override {
    return click_log_reader(format_->reader(), reading_.rules());
  }

  ExperimentData load(const DataSetting& setting) const override {
    std::uint64_t bytes = 0;
    for (const auto* files : {&train_, &valid_, &test_, &labels_}) bytes += bytes_of(paths(*files));
    if (split_.shares.any() && split_.by == "time") bytes += bytes_of(paths(train_));  // counts
    ReadRules rules = reading_.rules();
    rules.progress = setting.count("reading", "bytes", bytes);
    const DatasetReader reader(format_->reader(), rules, format_->mapper());
    ExperimentData data;
    reader.read_train(paths(train_), split_.with_seed(setting.seed), data.dataset);
    reader.read_sessions(paths(valid_), data.dataset, data.dataset.valid);
    reader.read_sessions(paths(test_), data.dataset, data.dataset.test);
    reader.read_labels(paths(labels_), data.dataset);
    return data;
  }

 private:
  std::unique_ptr<LogFormat> format_;
  std::vector<std::string> train_, valid_, test_, labels_;
  SplitOptions split_;
  ReadOptions reading_;
};

}  // namespace

std::vector<std::filesystem::path> paths(const std::vector<std::string>& files) {
  return {files.begin(), files.end()};
}

void SplitOptions::fields(Fields& f) {
  f.number("valid", shares.valid, "Share held out for validation.",
           {.low = 0, .high = 1, .high_open = true});
  f.number("test", shares.test, "Share held out for testing.",
           {.low = 0, .high = 1, .high_open = true});
  f.word("by", by,
         "What is held out: random sessions, all sessions of random queries, or the last sessions "
         "in the order of the files.",
         {"session", "query", "time"});
}

SplitShares SplitOptions::with_seed(std::uint64_t seed) const {
  SplitShares seeded = shares;
  seeded.seed = seed;
  seeded.by = by == "query" ? SplitBy::query : by == "time" ? SplitBy::time : SplitBy::session;
  return seeded;
}

void check_files(const std::vector<std::string>& train, const std::vector<std::string>& valid,
                 const std::vector<std::string>& test, const SplitOptions& split) {
  if (train.empty()) throw ConfigError("data.train is missing; expected files to train on");
  if (split.shares.valid > 0 && !valid.empty())
    throw ConfigError("data.valid and data.split.valid are both given; expected one of them");
  if (split.shares.test > 0 && !test.empty())
    throw ConfigError("data.test and data.split.test are both given; expected one of them");
  if (split.shares.valid + split.shares.test >= 1)
    throw ConfigError("data.split leaves nothing to train on; expected shares that sum below 1");
}

OptionType log_file_type(const ReaderType& reader) {
  return {reader.name, reader.help, [reader]() -> std::unique_ptr<Options> {
            return std::make_unique<LogFileOptions>(reader.make());
          }};
}

}  // namespace ultr
