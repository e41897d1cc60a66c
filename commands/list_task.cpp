#include "commands/list_task.h"

#include <algorithm>
#include <exception>
#include <optional>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "base/threads/thread_limit.h"
#include "experiment/data_options.h"
#include "options/config_tree.h"
#include "options/read.h"

namespace ultr {
namespace {

/// Largest numbers of documents and of feature values in a batch. A single longer list is a batch
/// of its own.
constexpr std::size_t most_documents_listed = std::size_t{1} << 16,
                      most_numbers_listed = std::size_t{1} << 20;

/// Returns the names of the formats that the model of a run can be used on.
std::vector<std::string> names_of(const std::vector<OptionType>& types, bool of_click_logs) {
  std::vector<std::string> names;
  Vocabulary empty;
  for (const OptionType& type : types) {
    const std::unique_ptr<Options> options = type.make();
    if (of_click_logs) {
      const auto& data = static_cast<const DataOptions&>(*options);
      if (data.scaling() != nullptr || data.list_reader(0, empty) == nullptr) continue;
    } else if (dynamic_cast<const FeatureFormat*>(options.get()) == nullptr) {
      continue;  // a generator of lists
    }
    names.push_back(type.name);
  }
  return names;
}

/// A collector of lists into batches.
class Batching {
 public:
  Batching(const SavedModel& saved, KnownPositions known,
           const std::function<void(const ListBatch&)>& take)
      : saved_(saved), known_(known), take_(take) {}

  void add(const RawList& list, std::span<const float> features) {
    const std::size_t documents = list.positions.size();
    if (known_ == KnownPositions::of_all_lists ||
        (known_ == KnownPositions::of_lists_with_clicks && !list.clicks.empty()))
      expect_known_positions(list);
    if (batch_.log.documents() > 0 &&
        (!has_columns_of(list) || batch_.log.documents() + documents > most_documents_listed ||
         features_.size() + features.size() > most_numbers_listed))
      finish_batch();
    batch_.has_clicks = !list.clicks.empty();
    no_clicks_.resize(documents);
    batch_.log.add({.rows = rows_of(list),
                    .positions = list.positions,
                    .clicks = list.clicks.empty() ? no_clicks_ : list.clicks,
                    .query = list.query,
                    .propensities = list.propensities,
                    .weight = list.weight,
                    .signals = spans_of(list.signals)});
    batch_.documents.insert(batch_.documents.end(), list.documents.begin(), list.documents.end());
    batch_.labels.insert(batch_.labels.end(), list.labels.begin(), list.labels.end());
    features_.insert(features_.end(), features.begin(), features.end());
    words_.add(list.words);
    ++counts_.lists;
    counts_.documents += documents;
  }

  void finish_batch() {
    if (batch_.log.documents() == 0) return;
    try {
      if (const auto& scaling = saved_.scaling()) {
        scaling->apply(features_);
        saved_.bias_columns().move_last(features_);
        const std::size_t count = scaling->features();
        features_.insert(features_.begin(), count, 0.f);  // row 0
        FeatureTable table(std::exchange(features_, {}), static_cast<std::int64_t>(count),
                           static_cast<std::int64_t>(saved_.bias_columns().count()));
        if (words_.documents() > 0)
          table.set_tokens(
              {words_.build(), saved_.model().setting().features.tokens().vocabulary()});
        batch_.log.set_features(std::move(table));
      }
      take_(batch_);
    } catch (const std::exception&) {
      // Kept apart, since it is not an error in the line that is being read.
      failure_ = std::current_exception();
      throw Error("a batch of lists failed");
    }
    batch_ = {};
    batch_.first_list = counts_.lists + 1;
  }

  /// Runs `read`, then finishes the last batch. Rethrows an exception from a batch as it was.
  template <class Read>
  ListCounts run(Read read) {
    try {
      read();
      finish_batch();
    } catch (const Error&) {
      if (failure_) std::rethrow_exception(failure_);
      throw;
    }
    return counts_;
  }

 private:
  bool has_columns_of(const RawList& list) const {
    return batch_.has_clicks == !list.clicks.empty() &&
           batch_.documents.empty() == list.documents.empty() &&
           batch_.labels.empty() == list.labels.empty() &&
           batch_.log[0].propensities.empty() == list.propensities.empty() &&
           std::ranges::all_of(all_signals, [&](Signal signal) {
             return batch_.log.has(signal) != list.signals[signal].empty();
           });
  }

  void expect_known_positions(const RawList& list) const {
    const auto known = static_cast<std::size_t>(saved_.model().setting().positions);
    const std::size_t last = *std::max_element(list.positions.begin(), list.positions.end());
    if (last >= known)
      throw DataError(
          fmt::format("a document is displayed at position {}; expected at most {}, the last that "
                      "the model knows",
                      last + 1, known));
  }

  std::span<const std::uint32_t> rows_of(const RawList& list) {
    rows_.assign(list.positions.size(), PairDictionary::unknown);
    for (std::size_t k = 0; k < list.documents.size(); ++k)
      rows_[k] = saved_.dictionary().find(list.query, list.documents[k]);
    counts_.unknown +=
        static_cast<std::uint64_t>(std::count(rows_.begin(), rows_.end(), PairDictionary::unknown));
    return rows_;
  }

  const SavedModel& saved_;
  KnownPositions known_;
  const std::function<void(const ListBatch&)>& take_;
  ListBatch batch_;
  std::vector<float> features_;  // of the batch's documents, as read
  TokenColumnsBuilder words_;    // likewise
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint8_t> no_clicks_;
  ListCounts counts_;
  std::exception_ptr failure_;
};

}  // namespace

void ListTask::fields(Fields& f) {
  f.text("run", run_, "The folder of a trained run.");
  f.texts("options", options_,
          "Options of the format to change, such as on_error=skip; others are as in the run.");
  f.texts("data", files_, "Files of lists.");
  f.text("format", format_, "Format of the files, as in --list; default: that of the run.");
  f.text("output", output_, output_help_);
  more_fields(f);
}

std::vector<ArgumentForm> ListTask::argument_forms() const {
  std::vector<ArgumentForm> forms = {{"run", "RUN", ArgumentForm::Kind::required_positional},
                                     {"options", "KEY=VALUE", ArgumentForm::Kind::positional},
                                     {"data", "FILE", ArgumentForm::Kind::required_option},
                                     {"format", "NAME"},
                                     {"output", "FILE"}};
  const std::vector<ArgumentForm> more = more_argument_forms();
  forms.insert(forms.end(), more.begin(), more.end());
  return forms;
}

TaskResults ListTask::run(const TaskContext& context) {
  std::optional<SavedModel> saved;
  run_in_all_processes(context.processes,
                       [&] { saved.emplace(run_, context.registry, context.processes); });
  const int threads = count_threads(saved->options());
  const ThreadLimit limit(threads);
  Predictor predictor(saved->model(), threads);
  return use(*saved, predictor);
}

/// Sets the format, and its options, in which the files are read.
void ListTask::choose_format(Choice& data) const {
  Choice* inner = data.as<DataOptions>().format();
  Choice& format = inner == nullptr ? data : *inner;
  const std::vector<std::string> names = names_of(*format.types, inner == nullptr);
  const std::string& name = format_.empty() ? format.type : format_;
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw ConfigError(
        format_.empty()
            ? fmt::format("the run's data come from '{}', which is not a file format; expected "
                          "--format, one of {}",
                          name, fmt::join(names, ", "))
            : fmt::format("there is no format '{}' for the run's model; expected one of {}", name,
                          fmt::join(names, ", ")));
  if (name != format.type) format.select(name);
  ConfigNode tree;
  tree.kind = ConfigNode::Kind::map;
  for (const std::string& assignment : options_) override_config(tree, assignment);
  read_options(tree, *format.options);
}

ListCounts ListTask::read_batches(SavedModel& saved, KnownPositions known,
                                  const std::function<void(const ListBatch&)>& take) const {
  Choice& data = saved.options().data;
  choose_format(data);
  const auto find = [](const std::string& file) { return find_data_file(file, "").string(); };
  if (Choice* format = data.as<DataOptions>().format())
    format->as<FeatureFormat>().locate_files(find);
  ListReader::Files found;
  for (const std::string& file : files_) found.emplace_back(find(file));

  const auto reader = data.as<DataOptions>().list_reader(saved.features(), saved.vocabulary());
  std::vector<std::string> notes;
  const std::uint64_t shown = saved.is_first_process() ? reader->bytes_to_read(found) : 0;
  ProgressBar bar(stderr, saved.run().string(), shown, "B");
  Batching batching(saved, known, take);
  const ListCounts counts = batching.run([&] {
    reader->read(
        found, [&](std::uint64_t bytes) { bar.add(bytes); }, notes, saved.names(),
        [&](const RawList& list, std::span<const float> features) {
          batching.add(list, features);
        });
  });
  bar.clear();
  for (const std::string& note : notes) log().warn("{}", note);
  return counts;
}

void ListTask::tell_unknown_pairs(const ListCounts& counts, const Predictor& predictor) {
  if (!predictor.reads_dictionary() || counts.unknown == 0) return;
  log().warn(
      "{} of {} documents are query-document pairs that were not in the training data; the model "
      "gives all of these the parameters of unknown pairs",
      counts.unknown, counts.documents);
}

}  // namespace ultr
