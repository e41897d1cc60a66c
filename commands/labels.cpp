#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/log.h"
#include "base/standard_output.h"
#include "base/stop_signals.h"
#include "base/text/quote.h"
#include "commands/command_table.h"
#include "data/features/graded_labels.h"
#include "data/tables/feature_rows.h"
#include "data/tables/ranker_files.h"
#include "data/tables/table_reading.h"
#include "data/tables/table_records.h"
#include "data/text/csv_text.h"
#include "experiment/task.h"
#include "runs/pair_relevance.h"

namespace ultr {
namespace {

/// Writes labels for rankers, made of the relevance that a click model has learned, with the
/// features of a CSV file, as RankerFiles says: `labels` for the training sessions' documents, and
/// `judged` for those of a CSV file with judged labels (`query,document,label`). features.csv names
/// the features by their numbers. Documents with too few impressions, or that the file of features
/// does not have, are left out and counted. All files are written or none. Throws ConfigError for
/// options that contradict each other, and DataError as pair_relevance and FeatureRows do,
/// or if no document is left.
class LabelsTask final : public Task {
 public:
  void fields(Fields& f) override {
    f.text("run", run_, "The folder of a trained run.");
    f.text("output", output_, "A new folder.");
    f.word("format", format_,
           "svmlight: files for XGBoost; lightgbm: files for LightGBM; csv: one table.",
           {"svmlight", "lightgbm", "csv"});
    f.text("features", features_,
           "A CSV file with features of documents, or of queries and documents; required unless "
           "the format is csv.");
    f.texts("columns", columns_.features, "Columns with features; default: all other columns.");
    f.text("query_column", columns_.query, "Column of queries in the CSV files that are read.");
    f.text("document_column", columns_.document,
           "Column of documents in the CSV files that are read.");
    f.text("judged", judged_, "A CSV file of judged labels, to be written with their features.");
    labels_.fields(f);
    f.boolean("positions", positions_,
              "Write mean positions for LightGBM, which then corrects for them itself.");
  }
  std::vector<ArgumentForm> argument_forms() const override {
    return {{"run", "RUN", ArgumentForm::Kind::required_positional},
            {"output", "FOLDER", ArgumentForm::Kind::required_option},
            {"features", "FILE"},
            {"columns", "NAME"},
            {"query_column", "NAME"},
            {"document_column", "NAME"},
            {"judged", "FILE"}};
  }
  void check() const override {
    labels_.check("--");
    if (features_.empty() && format_ != "csv")
      throw ConfigError(
          "--features is missing; expected a CSV file of features, or --format csv without them");
    if (positions_ && format_ != "lightgbm")
      throw ConfigError(
          fmt::format("--positions is given and --format is '{}'; expected lightgbm", format_));
    check_columns();
  }
  TaskResults run(const TaskContext& context) override;

 private:
  /// Throws ConfigError for columns of files that are not given, and for a feature given twice.
  void check_columns() const;

  std::string run_, output_, format_ = "svmlight", features_, judged_;
  FeatureRows::Columns columns_;
  GradedLabelOptions labels_;
  bool positions_ = false;
};

void LabelsTask::check_columns() const {
  const std::vector<std::string>& names = columns_.features;
  if (features_.empty() && !names.empty())
    throw ConfigError("--columns is given without --features; expected both");
  for (auto name = names.begin(); name != names.end(); ++name)
    if (std::find(names.begin(), name, *name) != name)
      throw ConfigError(fmt::format("--columns has {} twice; expected each once", quote(*name)));
  if (!features_.empty() || !judged_.empty()) return;
  const FeatureRows::Columns usual;
  for (const auto& [option, differs] : {std::pair("--query-column", columns_.query != usual.query),
                                        {"--document-column", columns_.document != usual.document}})
    if (differs)
      throw ConfigError(
          fmt::format("{} is given without --features or --judged; expected one of them", option));
}

/// The pairs of a run with their labels.
struct LabelledPairs {
  std::vector<PairRelevance> pairs;
  std::vector<std::optional<GradedLabel>> labels;
};

LabelledPairs label_pairs(SavedModel& saved, const GradedLabelOptions& options) {
  LabelledPairs labelled{relevance_of_run(saved).relevance.pairs, {}};
  labelled.labels = graded_labels(relevance_estimates(labelled.pairs), options);
  return labelled;
}

/// A writer of lists of documents with the features that a file has for them.
class FeatureJoin {
 public:
  /// `features` may be null: documents then have none.
  FeatureJoin(const FeatureRows* features, RankerFiles files)
      : features_(features), files_(std::move(files)) {}

  void add(std::vector<RankerDocument> list) {
    if (features_ != nullptr)
      std::erase_if(list, [&](RankerDocument& document) {
        document.features = features_->find(document.query, document.document);
        without_features_ += document.features.empty() ? 1 : 0;
        return document.features.empty();
      });
    if (list.empty()) return;
    files_.add(list);
    ++lists_;
    documents_ += list.size();
    for (const RankerDocument& document : list) ++by_grade_[std::floor(document.label)];
  }

  /// Gives the files their names and returns how much they have. Throws DataError, which starts
  /// with `source`, if they have no document.
  std::string finish(const std::string& source) {
    if (documents_ == 0)
      throw DataError(
          fmt::format("{}: no document has a label and features; expected some", source));
    files_.finish();
    std::vector<std::string> grades;
    for (const auto& [grade, count] : by_grade_)
      grades.push_back(fmt::format("{}: {}", grade, count));
    return fmt::format("{} documents of {} queries; labels {}", documents_, lists_,
                       fmt::join(grades, ", "));
  }
  std::size_t without_features() const { return without_features_; }

 private:
  const FeatureRows* features_;
  RankerFiles files_;
  std::size_t lists_ = 0, documents_ = 0, without_features_ = 0;
  std::map<double, std::size_t> by_grade_;
};

void write_labels(const LabelledPairs& labelled, FeatureJoin& into) {
  std::vector<std::uint64_t> queries;
  for (const PairRelevance& pair : labelled.pairs) queries.push_back(pair.query);
  for (const std::vector<std::size_t>& list : documents_by_query(queries)) {
    std::vector<RankerDocument> documents;
    for (const std::size_t i : list) {
      const PairRelevance& pair = labelled.pairs[i];
      if (const auto& label = labelled.labels[i])
        documents.push_back(
            {.query = pair.query,
             .document = pair.document,
             .label = label->label,
             .evidence = RankerDocument::Evidence{.weight = label->weight,
                                                  .relevance = pair.estimate.relevance,
                                                  .impressions = pair.estimate.impressions,
                                                  .clicks = pair.clicks,
                                                  .mean_position = pair.mean_position}});
    }
    into.add(std::move(documents));
  }
}

/// Reads a table of judged documents, whose names are added to `names`.
void write_judged(const std::filesystem::path& file, const FeatureRows::Columns& columns,
                  IdNames& names, FeatureJoin& into) {
  TableSetting setting;
  setting.delimiter = std::string(1, delimiter_of_file(file));
  setting.columns.query = columns.query;
  setting.columns.document = columns.document;
  setting.columns.options = {{"query", "--query-column"}, {"document", "--document-column"}};
  constexpr std::size_t any_length = 65536;
  const ReadRules rules{.max_positions = any_length, .names = &names};
  read_table(setting, TableUse::judged, file, rules, [&](const RawList& list) {
    std::vector<RankerDocument> documents;
    for (std::size_t i = 0; i < list.documents.size(); ++i)
      if (list.labels[i] >= 0)
        documents.push_back({.query = list.query,
                             .document = list.documents[i],
                             .label = static_cast<double>(list.labels[i])});
    into.add(std::move(documents));
  });
}

std::string feature_numbers(const std::vector<std::string>& names) {
  std::string text = "number,feature\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{},{}\n", i + 1, csv_field(names[i]));
  return text;
}

void tell_left_out(std::size_t count, std::size_t all, std::string_view why) {
  if (count > 0) log().warn("{} of {} documents are left out: {}", count, all, why);
}

TaskResults LabelsTask::run(const TaskContext& context) {
  expect_new_name(output_);  // before the data are read
  std::optional<FeatureRows> features;
  if (!features_.empty()) {
    FeatureRows::Columns columns = columns_;
    // A judged file needs the column in any case, and features may be those of documents.
    columns.of_pairs = judged_.empty() && columns.query != FeatureRows::Columns().query;
    features.emplace(find_data_file(features_, ""), columns);
  }
  SavedModel saved(run_, context.registry);
  const LabelledPairs labelled = label_pairs(saved, labels_);
  const auto files = [&](const std::string& stem, const NewFolder& folder, bool evidence) {
    return FeatureJoin(
        features ? &*features : nullptr,
        RankerFiles(folder.temporary(), stem,
                    {.format = format_,
                     .positions = positions_,
                     .evidence = evidence,
                     .features = features ? features->names() : std::vector<std::string>()},
                    saved.names()));
  };

  const StopSignals signals;
  NewFolder folder(output_);
  FeatureJoin labels = files("labels", folder, true);
  write_labels(labelled, labels);
  const auto rare = static_cast<std::size_t>(
      std::ranges::count_if(labelled.labels, [](const auto& label) { return !label.has_value(); }));
  tell_left_out(rare, labelled.pairs.size(),
                fmt::format("they have fewer than {} impressions", labels_.min_impressions));
  tell_left_out(labels.without_features(), labelled.pairs.size(),
                fmt::format("{} does not have them", features_));
  std::string summary = fmt::format("{}: {}\n", output_, labels.finish(run_));
  if (!judged_.empty()) {
    FeatureJoin judged = files("judged", folder, false);
    write_judged(find_data_file(judged_, ""), columns_, saved.names(), judged);
    const std::string written = judged.finish(judged_);
    if (judged.without_features() > 0)
      log().warn("{}: {} documents are left out: {} does not have them", judged_,
                 judged.without_features(), features_);
    summary += fmt::format("{}: judged: {}\n", output_, written);
  }
  if (features) write_file(folder.temporary() / "features.csv", feature_numbers(features->names()));
  signals.expect_none();
  folder.finish();
  print_to(stdout, "{}", summary);
  return {};
}

}  // namespace

std::unique_ptr<Task> make_labels(const Registry&) { return std::make_unique<LabelsTask>(); }

}  // namespace ultr
