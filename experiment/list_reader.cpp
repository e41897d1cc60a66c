#include "experiment/list_reader.h"

#include <numeric>

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {
namespace {

class ClickLogReader final : public ListReader {
 public:
  ClickLogReader(LogReader read, ReadRules rules)
      : read_(std::move(read)), rules_(std::move(rules)) {}

  void read(const Files& files, const std::function<void(std::uint64_t bytes)>& progress,
            std::vector<std::string>& notes, IdNames& names, const Take& take) const override {
    ReadRules rules = rules_;
    rules.progress = progress;
    rules.names = &names;
    rules.scores_only = true;
    for (const std::filesystem::path& file : files) {
      const ReadReport report = read_(file, rules, [&](const RawList& list) { take(list, {}); });
      add_notes(file, report, rules, notes);
    }
  }

 private:
  LogReader read_;
  ReadRules rules_;
};

class FeatureListReader final : public ListReader {
 public:
  FeatureListReader(const FeatureFormat& format, std::size_t features, bool missing,
                    Vocabulary& vocabulary)
      : format_(format), features_(features), missing_(missing), vocabulary_(vocabulary) {}

  void read(const Files& files, const std::function<void(std::uint64_t bytes)>& progress,
            std::vector<std::string>& notes, IdNames& names, const Take& take) const override {
    RawList raw;
    std::size_t number = 0;
    const auto take_part = [&](const FeatureLists& lists) {
      if (lists.features() != features_)
        throw DataError(fmt::format("{}: {} features; expected {}, as the training files have",
                                    files.front().string(), lists.features(), features_));
      for (std::size_t i = 0; i < lists.lists(); ++i) {
        ++number;
        copy(lists[i], lists.length(i), raw);
        raw.words = {};
        for (std::size_t k = 0; lists.has_words() && k < lists.length(i); ++k)
          raw.words.add(lists.words(lists.first_document(i) + k));
        try {
          take(raw, lists[i].features);
        } catch (const DataError& error) {
          throw DataError(fmt::format("list {}: {}", number, error.what()));
        }
      }
    };
    format_.read_parts(files,
                       {.features = features_,
                        .progress = progress,
                        .missing = missing_,
                        .names = &names,
                        .vocabulary = &vocabulary_},
                       notes, take_part);
  }

  std::uint64_t bytes_to_read(const Files& files) const override {
    return format_.bytes_to_read(files);
  }

 private:
  static void copy(const FeatureListView& list, std::size_t length, RawList& to) {
    const auto assign = [](auto& column, auto from) { column.assign(from.begin(), from.end()); };
    to.query = list.query;
    assign(to.documents, list.documents);
    assign(to.positions, list.positions);
    if (to.positions.empty()) {
      to.positions.resize(length);
      std::iota(to.positions.begin(), to.positions.end(), std::uint16_t{0});
    }
    assign(to.clicks, list.clicks);
    assign(to.labels, list.labels);
    assign(to.propensities, list.propensities);
    for (const Signal signal : all_signals) assign(to.signals[signal], list.signals[signal]);
  }

  const FeatureFormat& format_;
  std::size_t features_;
  bool missing_;
  Vocabulary& vocabulary_;
};

}  // namespace

std::unique_ptr<ListReader> click_log_reader(LogReader read, ReadRules rules) {
  return std::make_unique<ClickLogReader>(std::move(read), std::move(rules));
}

std::unique_ptr<ListReader> feature_list_reader(const FeatureFormat& format, std::size_t features,
                                                bool missing, Vocabulary& vocabulary) {
  return std::make_unique<FeatureListReader>(format, features, missing, vocabulary);
}

}  // namespace ultr
