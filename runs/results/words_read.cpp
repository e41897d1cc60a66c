#include "runs/results/words_read.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/formatted_number.h"

namespace ultr {
namespace {

/// Returns the dictionary's rows of a log's documents and of judged lists, ascending.
std::vector<std::uint32_t> distinct_rows(const SessionLog& log, const JudgedLists* judged) {
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < log.sessions(); ++i)
    rows.insert(rows.end(), log[i].rows.begin(), log[i].rows.end());
  for (std::size_t i = 0; judged != nullptr && i < judged->size(); ++i)
    rows.insert(rows.end(), judged->rows(i).begin(), judged->rows(i).end());
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

double share(std::size_t some, std::size_t all) {
  return all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all);
}

struct WordShare {
  const char* name;
  double (*compute)(const WordCounts&);
};

constexpr WordShare word_shares[] = {
    {"unknown_share",
     [](const WordCounts& counts) { return share(counts.unknown, counts.words - counts.cut); }},
    {"truncated_share",
     [](const WordCounts& counts) { return share(counts.truncated, counts.documents); }},
    {"cut_share", [](const WordCounts& counts) { return share(counts.cut, counts.words); }},
    {"most_frequent_share",
     [](const WordCounts& counts) {
       return share(counts.most_frequent, counts.words - counts.cut - counts.unknown);
     }},
};

}  // namespace

WordCounts count_words(const SequenceLayout& layout, const TokenTable& table,
                       std::span<const std::uint32_t> rows) {
  // The last place of a full sequence is [SEP]'s, so words are read up to the one before.
  const auto places = static_cast<std::size_t>(layout.max_tokens) - 1;
  WordCounts counts;
  std::vector<std::size_t> times(static_cast<std::size_t>(layout.vocabulary));
  for (const std::uint32_t row : rows) {
    if (std::int64_t{row} >= table.rows()) continue;
    const DocumentTokens words = table[row];
    std::size_t place = 1, cut = 0;  // after [CLS]
    for (std::size_t i = 0; i < words.tokens.size(); ++i, ++place) {
      if (i > 0 && words.types[i] != words.types[i - 1]) ++place;  // [SEP]
      if (place >= places)
        ++cut;
      else if (words.tokens[i] >= layout.vocabulary || words.tokens[i] == layout.unknown)
        ++counts.unknown;
      else
        counts.most_frequent = std::max(counts.most_frequent, ++times[words.tokens[i]]);
    }
    ++counts.documents;
    counts.words += words.tokens.size();
    counts.cut += cut;
    counts.truncated += cut > 0 ? 1 : 0;
  }
  return counts;
}

std::vector<WordsRead> words_read(const TrainableModel& model, const Dataset& dataset) {
  std::vector<WordsRead> all;
  for (const TrainableModel::Layer& layer : model.layers()) {
    const auto* encoder = dynamic_cast<const SequenceEncoder*>(layer.layer.get());
    if (encoder == nullptr) continue;
    WordsRead& read = all.emplace_back(WordsRead{layer.name, encoder->layout(), {}});
    for (const auto& [name, log] :
         {std::pair("train", &dataset.train), {"valid", &dataset.valid}, {"test", &dataset.test}}) {
      const JudgedLists* const judged = log == &dataset.test ? &dataset.labels : nullptr;
      const std::vector<std::uint32_t> rows = distinct_rows(*log, judged);
      if (!rows.empty())
        read.splits.emplace_back(name, count_words(read.layout, dataset.features.tokens(), rows));
    }
  }
  return all;
}

std::optional<double> masked_accuracy(const TrainingResult& stage, const std::string& parameter) {
  if (stage.best_epoch < 1) return std::nullopt;
  const EpochResult& best = stage.epochs[static_cast<std::size_t>(stage.best_epoch) - 1];
  if (!best.valid) return std::nullopt;
  const double accuracy = (*best.valid)[masked_accuracy_of(parameter)];
  return std::isnan(accuracy) ? std::nullopt : std::optional(accuracy);
}

void set_masked_accuracy(const TrainingResult& stage, std::span<WordsRead> all) {
  for (WordsRead& read : all)
    if (const auto accuracy = masked_accuracy(stage, read.parameter))
      read.masked_accuracy = accuracy;
}

nlohmann::ordered_json words_json(std::span<const WordsRead> all) {
  nlohmann::ordered_json json;
  for (const WordsRead& read : all) {
    auto& of_parameter = json[read.parameter];
    for (const auto& [name, number] : named_numbers(read.layout)) of_parameter[name] = number;
    if (read.masked_accuracy) of_parameter["masked_accuracy"] = *read.masked_accuracy;
    for (const auto& [split, counts] : read.splits) {
      auto& of_split = of_parameter[split];
      of_split = {{"documents", counts.documents}, {"words", counts.words}};
      for (const WordShare& one : word_shares) of_split[one.name] = one.compute(counts);
    }
  }
  return json;
}

ReportSection words_section(std::span<const WordsRead> all) {
  ReportTable table{.header = {"parameter", "split", "documents", "words"}, .rows = {}};
  for (const WordShare& one : word_shares) {
    std::string title = one.name;
    std::replace(title.begin(), title.end(), '_', ' ');
    table.header.push_back(title);
  }
  for (const WordsRead& read : all)
    for (const auto& [split, counts] : read.splits) {
      auto& row = table.rows.emplace_back(
          std::vector<ReportCell>{read.parameter, split, fmt::format("{}", counts.documents),
                                  fmt::format("{}", counts.words)});
      for (const WordShare& one : word_shares)
        row.emplace_back(number_or_dash(one.compute(counts)));
    }
  table.caption =
      "Words of distinct documents and their queries: the shares of unknown ones among those that "
      "are read, of documents that lose words since their sequence is too long, of such words, and "
      "of the most frequent word among the known ones that are read.";
  for (const WordsRead& read : all)
    if (read.masked_accuracy)
      table.caption += fmt::format(" {} guessed {} of the masked words of the validation lists.",
                                   read.parameter, format_measure(*read.masked_accuracy));
  return {"Words", {table}};
}

}  // namespace ultr
