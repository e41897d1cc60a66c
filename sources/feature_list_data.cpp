#include "sources/feature_list_data.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/error.h"
#include "data/features/feature_lists.h"
#include "data/features/feature_scaling.h"
#include "data/features/long_lists.h"
#include "data/formats/feature_format.h"
#include "data/formats/feature_names.h"
#include "data/readers.h"
#include "data/simulation/list_generator.h"
#include "experiment/log_files.h"
#include "options/write.h"
#include "sources/learning_targets.h"

namespace ultr {
namespace {

/// Assigns a dictionary row to every document of some lists: that of its query and id if documents
/// have ids, else a new one. Appends the features and words of new rows to `features` and `words`.
std::vector<std::uint32_t> number_documents(const FeatureLists& lists, PairDictionary& dictionary,
                                            std::vector<float>& features,
                                            TokenColumnsBuilder& words) {
  const FeatureColumns& columns = lists.columns();
  std::vector<std::uint32_t> rows;
  rows.reserve(lists.documents());
  for (std::size_t l = 0; l < lists.lists(); ++l) {
    const FeatureListView list = lists[l];
    for (std::size_t k = 0; k < lists.length(l); ++k) {
      const auto next = static_cast<std::uint64_t>(dictionary.rows());
      const std::uint32_t row =
          dictionary.add(list.query, list.documents.empty() ? next : list.documents[k]);
      rows.push_back(row);
      if (row < next) continue;
      const auto its = list.features.subspan(k * columns.feature_count, columns.feature_count);
      features.insert(features.end(), its.begin(), its.end());
      if (lists.has_words()) words.add(lists.words(lists.first_document(l) + k));
    }
  }
  return rows;
}

/// Returns the features of all documents, after row 0 for unknown documents.
FeatureTable features_of(const FeatureLists& lists, std::int64_t bias_count,
                         std::int64_t vocabulary) {
  std::vector<float> rows(lists.features());
  rows.insert(rows.end(), lists.columns().features.begin(), lists.columns().features.end());
  FeatureTable features(std::move(rows), static_cast<std::int64_t>(lists.features()), bias_count,
                        lists.columns().missing);
  if (lists.has_words()) features.set_tokens({lists.columns().words, vocabulary});
  return features;
}

/// Throws DataError if a bias feature, moved to the end of its row, is missing.
void expect_bias_features(const FeatureLists& lists, const BiasColumns& bias) {
  if (bias.empty() || !lists.columns().missing) return;
  const std::size_t n = lists.features();
  const auto values = lists.columns().features.values();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i % n >= n - bias.count() && std::isnan(values[i]))
      throw DataError(fmt::format(
          "feature {} of document {}, a bias feature, is missing; expected a number, since "
          "data.scaling.missing: keep is for features of relevance",
          bias.order()[i % n] + 1, i / n + 1));
}

/// Throws DataError unless all parts have words, or none.
void expect_words_alike(const ListGenerator::Parts& parts) {
  for (const auto& [name, lists] : {std::pair("valid", &parts.valid), {"test", &parts.test}})
    if (lists->lists() > 0 && lists->has_words() != parts.train.has_words())
      throw DataError(
          fmt::format("data.{}: the documents have {}words; expected {}, as in training", name,
                      lists->has_words() ? "" : "no ", lists->has_words() ? "none" : "some"));
}

/// Adds lists with one judgement per document, or none.
void judge(const FeatureLists& lists, std::span<const std::uint32_t> rows,
           std::span<const int> judgements, JudgedLists& into) {
  if (judgements.empty()) return;
  std::size_t at = 0;
  for (std::size_t l = 0; l < lists.lists(); ++l) {
    const std::size_t length = lists.length(l);
    const std::span<const int> its = judgements.subspan(at, length);
    into.add(rows.subspan(at, length), std::vector<int>(its.begin(), its.end()), lists[l].query);
    at += length;
  }
}

/// The sources of lists: file formats and generators.
const std::vector<OptionType>& list_sources() {
  static const std::vector<OptionType> sources = [] {
    std::vector<OptionType> all = feature_formats();
    all.insert(all.end(), list_generators().begin(), list_generators().end());
    return all;
  }();
  return sources;
}

class FeatureListOptions final : public DataOptions {
 public:
  using Parts = ListGenerator::Parts;

  FeatureListOptions(const std::vector<OptionType>& models, const std::vector<OptionType>& layers,
                     const MakeRegistry& make_registry)
      : targets_(target_types(models, layers, make_registry)), learn_from_(targets_, "labels") {}

  void fields(Fields& f) override {
    f.choice("reader", reader_, "File format of the lists, or a generator that needs no files.");
    f.texts("train", train_, "Files of training lists.");
    f.texts("valid", valid_, "Files of validation lists.");
    f.texts("test", test_, "Files of test lists; rankings are evaluated on their labels.");
    f.section("split", split_, "Random shares of the training lists to hold out.");
    f.choice("learn_from", learn_from_, "Training targets.");
    f.section("long_lists", long_lists_, "Shortening of long lists.");
    f.word("without_relevant", without_relevant_,
           "Keep or drop lists without a label above 0, in all splits.", {"keep", "drop"});
    f.section("scaling", scaling_, "Feature scaling.");
    f.integers(
        "bias_features", bias_features_,
        "Numbers (from 1) of features that describe how a document was displayed: only towers "
        "over ranks read them.",
        between(1, 1e9));
    f.text("feature_names", feature_names_,
           "File with the names of the features, one per line; tables name them themselves.");
    f.integer("least_word_count", least_word_count_,
              "Words that occur less often in the texts of training files are unknown.",
              between(1, 1e9));
  }

  void check() const override {
    learn_from_.as<TargetOptions>().check();
    if (generator() == nullptr) {
      if (!bias_features_.empty() && !reader_.as<FeatureFormat>().bias_features().empty())
        throw ConfigError(
            "data.bias_features and data.reader.columns.bias_features are both given; expected one "
            "of them");
      if (!feature_names_.empty() && !reader_.as<FeatureFormat>().feature_names().empty())
        throw ConfigError(
            "data.feature_names is given, but the table names its features; expected one of both");
      return check_files(train_, valid_, test_, split_);
    }
    generator()->check();
    for (const auto& [option, is_given] : {std::pair("train", !train_.empty()),
                                           {"valid", !valid_.empty()},
                                           {"test", !test_.empty()},
                                           {"split.valid", split_.shares.valid > 0},
                                           {"split.test", split_.shares.test > 0}})
      if (is_given)
        throw ConfigError(fmt::format(
            "data.{} is given, but '{}' generates its lists; expected their number in data.reader",
            option, reader_.type));
  }

  void keep_training_only() override {
    training_only_ = true;
    for (auto* files : {&valid_, &test_}) files->clear();
  }

  void locate_files(const std::filesystem::path& config_folder) override {
    const auto find = [&](const std::string& file) {
      return find_data_file(file, config_folder).string();
    };
    for (auto* files : {&train_, &valid_, &test_})
      for (std::string& file : *files) file = find(file);
    if (generator() == nullptr) reader_.as<FeatureFormat>().locate_files(find);
    if (!feature_names_.empty()) feature_names_ = find(feature_names_);
    learn_from_.as<TargetOptions>().locate_files(find);
  }

  bool depends_on_seed() const override {
    return split_.depends_on_seed() || long_lists_.percentile ||
           learn_from_.as<TargetOptions>().draws();
  }

  std::string list_identity() const override {
    return generator() == nullptr ? "" : reader_.type + "\n" + write_options(*reader_.options);
  }

  Targets targets() const override { return learn_from_.as<TargetOptions>().targets(); }

  Choice* format() override { return &reader_; }
  const FeatureScalingOptions* scaling() const override { return &scaling_; }
  bool may_have_features() const override {
    return generator() == nullptr || generator()->has_features();
  }
  bool may_have_words() const override {
    return generator() == nullptr ? reader_.as<FeatureFormat>().may_have_words()
                                  : generator()->has_words();
  }
  BiasColumns bias_columns(std::size_t features) const override {
    if (generator() == nullptr && bias_features_.empty())
      return {reader_.as<FeatureFormat>().bias_features(), features};
    return {bias_features_, features};
  }
  std::unique_ptr<ListReader> list_reader(std::size_t features,
                                          Vocabulary& vocabulary) const override {
    if (generator() != nullptr) return nullptr;
    return feature_list_reader(reader_.as<FeatureFormat>(), features, scaling_.keeps_missing(),
                               vocabulary);
  }

  ExperimentData load(const DataSetting& setting) const override {
    ExperimentData data;
    Parts parts = lists(setting, data);
    load(std::move(parts), setting, data);
    return data;
  }

  /// Reads or makes lists; see lists_of.
  Parts lists(const DataSetting& setting, ExperimentData& data) const {
    return generator() == nullptr ? read(setting, data) : make(*generator(), setting.made);
  }

  /// Makes data of lists.
  void load(Parts parts, const DataSetting& setting, ExperimentData& data) const {
    Dataset& dataset = data.dataset;
    select(parts, setting.seed);
    const FeatureScaling scaling(parts.train, scaling_);
    data.bias_columns = bias_columns(parts.train.features());
    data.feature_names = names_of_features(parts.train.features());
    const auto features_of_bias = static_cast<std::int64_t>(data.bias_columns.count());
    std::vector<float> features(parts.train.features());  // row 0
    TokenColumnsBuilder words;
    const std::int64_t vocabulary = !data.vocabulary.empty() ? data.vocabulary.tokens()
                                    : parts.train.has_words()
                                        ? vocabulary_of(parts.train.columns().words)
                                        : 0;
    expect_words_alike(parts);
    const auto& targets = learn_from_.as<TargetOptions>();
    data.learns_labels = learn_from_.type == "labels";
    TargetOptions::MakeSessions make_sessions;
    const auto add = [&](FeatureLists lists, SessionLog& log, Split part) {
      if (lists.lists() == 0) return;
      lists = data.bias_columns.move_last(scaling.apply(lists));
      expect_bias_features(lists, data.bias_columns);
      const std::vector<std::uint32_t> rows =
          number_documents(lists, dataset.dictionary, features, words);
      if (!make_sessions)
        make_sessions = targets.fit(lists, rows, setting);  // training comes first
      if (part == Split::test && targets.are_impressions() && lists.columns().clicks.empty()) {
        judge(lists, rows, lists.columns().labels.values(),
              dataset.labels);  // no clicks to predict
        for (std::size_t l = 0; l < lists.lists(); ++l)
          dataset.positions = std::max(dataset.positions, lists.length(l));
        return;
      }
      LearningSessions sessions = make_sessions(lists, rows, part);
      log = std::move(sessions.log);
      // A pair keeps the features of its first document, but it may be displayed in many ways.
      if (features_of_bias > 0 && targets.are_impressions() && !lists.columns().documents.empty())
        log.set_features(features_of(lists, features_of_bias, vocabulary));
      if (part != Split::test) return;
      judge(lists, rows,
            sessions.judgements.empty() ? lists.columns().labels.values() : sessions.judgements,
            dataset.labels);
      if (dataset.labels.size() > 0) data.policy_scores = std::move(sessions.policy_scores);
    };
    add(std::move(parts.train), dataset.train, Split::train);
    add(std::move(parts.valid), dataset.valid, Split::valid);
    add(std::move(parts.test), dataset.test, Split::test);
    for (const SessionLog* log : {&dataset.train, &dataset.valid, &dataset.test})
      dataset.positions = std::max(dataset.positions, log->positions());
    data.position_bias = targets.position_bias(dataset.positions);
    if (scaling.features() == 0) return;  // documents are identified by their ids alone
    dataset.features =
        FeatureTable(std::move(features), static_cast<std::int64_t>(scaling.features()),
                     features_of_bias, scaling.keeps_missing());
    if (vocabulary > 0) dataset.features.set_tokens({words.build(), vocabulary});
    data.scaling = scaling;
  }

 private:
  /// Returns the generator of lists; null if lists are read from files.
  const ListGenerator* generator() const {
    return dynamic_cast<const ListGenerator*>(reader_.options.get());
  }

  std::vector<std::string> names_of_features(std::size_t features) const {
    if (!feature_names_.empty()) return read_feature_names(feature_names_, features);
    if (generator() != nullptr) return {};
    std::vector<std::string> names = reader_.as<FeatureFormat>().feature_names();
    if (names.size() != features) names.clear();  // lists in memory, which no format has read
    return names;
  }

  Parts read(const DataSetting& setting, ExperimentData& data) const {
    Dataset& into = data.dataset;
    const auto& format = reader_.as<FeatureFormat>();
    FeatureReading reading{.missing = scaling_.keeps_missing(),
                           .names = &into.dictionary.names(),
                           .vocabulary = &data.vocabulary};
    Parts parts;
    std::uint64_t bytes = 0;
    for (const auto* files : {&train_, &valid_, &test_})
      bytes += format.bytes_to_read(paths(*files));
    reading.progress = setting.count("reading", "bytes", bytes);
    const FeatureLists all =
        with_known_words(format.read(paths(train_), reading, into.notes), data.vocabulary);
    reading.features = all.features();
    const auto read_like_train = [&](const std::vector<std::string>& files) {
      if (files.empty()) return FeatureLists();
      return format.read(paths(files), reading, into.notes);
    };
    SplitShares shares = split_.with_seed(setting.seed);
    shares.sessions = all.lists();
    const auto part = [&](Split which) {
      std::vector<std::size_t> chosen;
      for (std::size_t l = 0, document = 0; l < all.lists(); ++l)
        for (std::size_t k = 0; k < all.length(l); ++k, ++document)
          if (shares.of(l, all[l].query) == which) chosen.push_back(document);
      return select_documents(all, chosen);
    };
    parts.train = part(Split::train);
    if (parts.train.lists() == 0)
      throw DataError(
          "data.split leaves no list to train on; expected more lists or smaller shares");
    parts.valid = valid_.empty() ? part(Split::valid) : read_like_train(valid_);
    parts.test = test_.empty() ? part(Split::test) : read_like_train(test_);
    return parts;
  }

  /// Completes the vocabulary: rare words, and all that only other files have, are unknown.
  FeatureLists with_known_words(FeatureLists train, Vocabulary& vocabulary) const {
    vocabulary.complete();
    if (least_word_count_ == 1 || vocabulary.empty()) return train;
    FeatureColumns columns = train.columns();
    columns.words = vocabulary.drop_rare(least_word_count_, columns.words);
    return FeatureLists(std::move(columns));
  }

  Parts make(const ListGenerator& lists, MadeLists* made) const {
    Parts parts =
        made == nullptr ? lists.make() : made->of(list_identity(), [&] { return lists.make(); });
    if (training_only_) parts.valid = parts.test = {};
    return parts;
  }

  /// Drops lists and documents as the options say.
  void select(Parts& parts, std::uint64_t seed) const {
    for (FeatureLists* lists : {&parts.train, &parts.valid, &parts.test}) {
      if (without_relevant_ == "drop") *lists = drop_lists_without_relevant(*lists);
      if (long_lists_.most_relevant > 0)
        *lists = keep_most_relevant(*lists, static_cast<std::size_t>(long_lists_.most_relevant));
    }
    if (parts.train.lists() == 0)
      throw DataError("no training list has a relevant document; expected some to train on");
    if (!long_lists_.percentile) return;
    const std::size_t most = length_percentile(parts.train, *long_lists_.percentile);
    parts.train = cut_long_lists(parts.train, most, seed);
    parts.valid = cut_long_lists(parts.valid, most, seed);
  }

  Choice reader_{list_sources(), "svmlight"};
  std::vector<OptionType> targets_;
  Choice learn_from_;
  std::vector<std::string> train_, valid_, test_;
  bool training_only_ = false;
  SplitOptions split_;
  LongListOptions long_lists_;
  std::string without_relevant_ = "keep";
  FeatureScalingOptions scaling_;
  std::vector<std::int64_t> bias_features_;
  std::string feature_names_;
  std::int64_t least_word_count_ = 1;
};

}  // namespace

ListGenerator::Parts lists_of(const DataOptions& source, const DataSetting& setting,
                              ExperimentData& data) {
  return dynamic_cast<const FeatureListOptions&>(source).lists(setting, data);
}

ExperimentData load_lists(const DataOptions& source, ListGenerator::Parts lists,
                          const IdNames& names, const DataSetting& setting) {
  ExperimentData data;
  data.dataset.dictionary.names().add(names);
  dynamic_cast<const FeatureListOptions&>(source).load(std::move(lists), setting, data);
  return data;
}

OptionType feature_list_type(const std::vector<OptionType>& models,
                             const std::vector<OptionType>& layers,
                             const MakeRegistry& make_registry) {
  return {
      "feature_lists",
      "Lists of documents with features, labels and optional clicks, read from files or generated.",
      [&models, &layers, make_registry]() -> std::unique_ptr<Options> {
        return std::make_unique<FeatureListOptions>(models, layers, make_registry);
      }};
}

}  // namespace ultr
