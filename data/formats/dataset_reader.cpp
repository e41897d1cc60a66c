#include "data/formats/dataset_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/core.h>

#include "base/error.h"
#include "data/log/list_id_queue.h"
#include "data/text/line_fields.h"

namespace ultr {
namespace {

/// Adds a list to a log, with a weight that may be a part of the list's.
void add_session(const RawList& list, double weight, const std::vector<std::uint32_t>& rows,
                 Dataset& into, SessionLog& log) {
  if (list.clicks.empty())
    throw DataError(
        "the list has no clicks; expected a click log (judged lists belong into data.labels)");
  log.add({.rows = rows,
           .positions = list.positions,
           .clicks = list.clicks,
           .query = list.query,
           .propensities = list.propensities,
           .weight = weight,
           .signals = spans_of(list.signals)});
  into.positions = std::max(into.positions, log.positions());
}

/// Adds lists to a log, while the rows of their pairs are looked up on a thread of its own.
class LogWithRows {
 public:
  /// Appends the row of each document of some lists.
  using LookUp = std::function<void(const ListIds& lists, std::vector<std::uint32_t>& rows)>;

  /// `log`: one of `into`, which learns how many positions it has.
  LogWithRows(Dataset& into, SessionLog& log, LookUp look_up)
      : into_(into),
        log_(log),
        first_(log.documents()),
        ids_([this, look_up = std::move(look_up)](const ListIds& lists) {
          look_up(lists, rows_);
        }) {}

  /// Adds a list with a weight. Throws DataError as add_session does.
  void add(const RawList& list, double weight) {
    not_known_yet_.resize(list.documents.size(), PairDictionary::unknown);
    add_session(list, weight, not_known_yet_, into_, log_);
    try {
      ids_.add(list.query, list.documents);
    } catch (const DataError& error) {
      throw LocatedError(error.what());  // not of this list, perhaps
    }
  }
  /// Gives the log its rows.
  void finish() {
    ids_.finish();
    log_.set_rows(first_, rows_);
  }

 private:
  Dataset& into_;
  SessionLog& log_;
  std::size_t first_;  // document that it adds
  std::vector<std::uint32_t> not_known_yet_, rows_;
  ListIdQueue ids_;  // last: its thread writes rows_
};

/// Lists that wait until the dictionary has all pairs of training. They take as much memory as
/// their columns.
class WaitingLists {
 public:
  /// Throws DataError if the list has a signal that earlier lists lack, or the other way round.
  void add(const RawList& list, double weight) {
    for (const Signal signal : all_signals)
      if (!ends_.empty() && list.signals[signal].empty() != signals_[signal].empty())
        throw DataError(fmt::format("a list with {} beside one without; expected all or none",
                                    type_of(signal).plural));
    for (const Signal signal : all_signals) append(list.signals[signal], signals_[signal]);
    queries_.push_back(list.query);
    weights_.push_back(weight);
    append(list.documents, documents_);
    append(list.positions, positions_);
    append(list.clicks, clicks_);
    append(list.propensities, propensities_);
    ends_.push_back({documents_.size(), clicks_.size(), propensities_.size()});
  }
  void for_each(const std::function<void(const RawList&)>& visit) const {
    RawList list;
    Ends begin;
    for (std::size_t i = 0; i < ends_.size(); begin = ends_[i++]) {
      const Ends& end = ends_[i];
      list.query = queries_[i];
      list.weight = weights_[i];
      assign(documents_, begin.documents, end.documents, list.documents);
      assign(positions_, begin.documents, end.documents, list.positions);
      assign(clicks_, begin.clicks, end.clicks, list.clicks);
      assign(propensities_, begin.propensities, end.propensities, list.propensities);
      for (const Signal signal : all_signals)
        if (!signals_[signal].empty())
          assign(signals_[signal], begin.documents, end.documents, list.signals[signal]);
      visit(list);
    }
  }

 private:
  /// Numbers of entries up to the end of a list.
  struct Ends {
    std::size_t documents = 0, clicks = 0, propensities = 0;
  };

  template <class T>
  static void append(const std::vector<T>& from, std::vector<T>& to) {
    to.insert(to.end(), from.begin(), from.end());
  }
  template <class T>
  static void assign(const std::vector<T>& from, std::size_t begin, std::size_t end,
                     std::vector<T>& to) {
    const auto part = std::span(from).subspan(begin, end - begin);
    to.assign(part.begin(), part.end());
  }

  std::vector<std::uint64_t> queries_, documents_;
  std::vector<std::uint16_t> positions_;
  std::vector<std::uint8_t> clicks_;
  std::vector<float> propensities_;
  std::vector<double> weights_;
  SignalColumns signals_;
  std::vector<Ends> ends_;
};

/// Weights by Split.
using SplitWeights = std::array<double, 3>;

/// Returns how much of a list's weight goes to each part of the data. A whole weight is so many
/// sessions, each of which has a part of its own; a list with another weight stays together.
/// `number` is that of the first session and is increased by theirs.
SplitWeights split_weights(const RawList& list, const SplitShares& shares, std::uint64_t& number) {
  SplitWeights weights{};
  const auto add = [&](double weight) {
    weights[static_cast<std::size_t>(shares.of(number++, list.query))] += weight;
  };
  if (!shares.any() || shares.by == SplitBy::query || list.weight != std::floor(list.weight)) {
    add(list.weight);
  } else {
    for (auto left = static_cast<std::uint64_t>(list.weight); left > 0; --left) add(1);
  }
  return weights;
}

using TakeList = std::function<void(const RawList&)>;

/// Adds all lists to a log that `pass_on` passes on. Pairs that the dictionary lacks get the
/// unknown row.
void add_known(Dataset& into, SessionLog& log,
               const std::function<void(const TakeList& take)>& pass_on) {
  LogWithRows known(into, log, [&](const ListIds& lists, std::vector<std::uint32_t>& rows) {
    into.dictionary.find(lists, rows);
  });
  pass_on([&](const RawList& list) { known.add(list, list.weight); });
  known.finish();
}

void expect_rows_of(const std::filesystem::path& file, const MappedLog& mapped,
                    const PairDictionary& dictionary) {
  if (static_cast<std::int64_t>(mapped.largest_row) >= dictionary.rows())
    throw DataError(
        fmt::format("{}: a document has row {}; expected rows below {}, the dictionary's rows",
                    file.string(), mapped.largest_row, dictionary.rows()));
}

void expect_labels(const RawList& list) {
  if (list.labels.empty())
    throw DataError("the list has no relevance labels; expected judged lists");
}

std::vector<std::uint32_t> known_rows(const RawList& list, const PairDictionary& dictionary) {
  std::vector<std::uint32_t> rows(list.documents.size());
  dictionary.find(list.query, list.documents, rows);
  return rows;
}

}  // namespace

void DatasetReader::read_all(const Files& files, Dataset& into,
                             const std::function<void(const RawList&)>& take) const {
  ReadRules rules = rules_;
  rules.names = &into.dictionary.names();
  for (const std::filesystem::path& file : files) {
    const ReadReport report = read_(file, rules, take);
    add_notes(file, report, rules, into.notes);
  }
}

std::uint64_t DatasetReader::count_lists(const Files& files) const {
  ReadRules rules = rules_;
  rules.by_time = true;
  std::uint64_t lists = 0, last = 0;
  std::filesystem::path before;
  for (const std::filesystem::path& file : files) {
    const ReadReport report = read_(file, rules, [&](const RawList& list) {
      lists += list.weight == std::floor(list.weight) ? static_cast<std::uint64_t>(list.weight) : 1;
    });
    if (!report.times) continue;
    if (report.times->first < last)
      throw DataError(
          fmt::format("{}: begins before {} ends, by data.columns.time; expected files in the "
                      "order of time, since data.split.by is 'time'",
                      file.string(), before.string()));
    last = report.times->last;
    before = file;
  }
  return lists;
}

bool DatasetReader::is_mappable(const std::filesystem::path& file) const {
  return map_.is_mappable && map_.is_mappable(file);
}

std::optional<MappedLog> DatasetReader::mapped(const Files& files, std::string& why) const {
  if (files.size() == 1 && is_mappable(files[0])) return map_.map(files[0], rules_, why);
  why = "it is one of several files";
  return std::nullopt;
}

void DatasetReader::note_reading(const Files& files, std::string_view why, Dataset& into) const {
  for (const std::filesystem::path& file : files)
    if (is_mappable(file))
      into.notes.push_back(
          fmt::format("{}: is read into memory, not mapped: {}", file.string(), why));
}

void DatasetReader::read_train(const Files& files, const SplitShares& given, Dataset& into) const {
  std::string why = "some of its sessions are held out";
  if (files.size() == 1 && is_mappable(files[0]) && !PairDictionary::exists_in(files[0]))
    why = "it has no dictionary of its own";
  else if (!given.any())
    if (std::optional<MappedLog> train = mapped(files, why)) {
      into.dictionary = PairDictionary::map(files[0]);
      expect_rows_of(files[0], *train, into.dictionary);
      into.train = std::move(train->log);
      into.positions = std::max(into.positions, into.train.positions());
      return;
    }
  note_reading(files, why, into);
  SplitShares shares = given;
  if (shares.any() && shares.by == SplitBy::time) shares.sessions = count_lists(files);
  // Held-out sessions are looked up when the dictionary has all pairs of training.
  WaitingLists valid, test;
  std::uint64_t number = 0;
  LogWithRows train(into, into.train, [&](const ListIds& lists, std::vector<std::uint32_t>& rows) {
    into.dictionary.add(lists, rows);
  });
  read_all(files, into, [&](const RawList& list) {
    const SplitWeights weights = split_weights(list, shares, number);
    const auto weight = [&](Split split) { return weights[static_cast<std::size_t>(split)]; };
    if (weight(Split::valid) > 0) valid.add(list, weight(Split::valid));
    if (weight(Split::test) > 0) test.add(list, weight(Split::test));
    if (weight(Split::train) > 0) train.add(list, weight(Split::train));
  });
  train.finish();
  if (into.train.sessions() == 0)
    throw DataError("no session is left to train on; expected smaller data.split shares");
  add_known(into, into.valid, [&](const TakeList& take) { valid.for_each(take); });
  add_known(into, into.test, [&](const TakeList& take) { test.for_each(take); });
}

void DatasetReader::read_sessions(const Files& files, Dataset& into, SessionLog& log) const {
  if (files.empty()) return;
  std::string why;
  if (std::optional<MappedLog> sessions = mapped(files, why)) {
    if (log.sessions() > 0) {
      why = "other sessions come before it";
    } else if (sessions->dictionary_id != into.dictionary.id()) {
      why = "its rows refer to another dictionary than that of training";
    } else {
      expect_rows_of(files[0], *sessions, into.dictionary);
      into.dictionary.names().add(IdNames::load(files[0]));
      log = std::move(sessions->log);
      into.positions = std::max(into.positions, log.positions());
      return;
    }
  }
  note_reading(files, why, into);
  into.dictionary.index();
  add_known(into, log, [&](const TakeList& take) { read_all(files, into, take); });
}

void DatasetReader::expect_readable(const Files& files, bool judged) const {
  struct Found {};  // ends the reading of a file
  for (const std::filesystem::path& file : files) try {
      read_(file, rules_, [&](const RawList& list) {
        if (judged) expect_labels(list);
        throw Found();
      });
    } catch (const Found&) {
    }
}

void DatasetReader::read_labels(const Files& files, Dataset& into) const {
  if (files.empty()) return;
  into.dictionary.index();
  read_all(files, into, [&](const RawList& list) {
    expect_labels(list);
    const std::uint64_t times = list.times("judged lists have no weights");
    for (std::uint64_t time = 0; time < times; ++time)
      into.labels.add(known_rows(list, into.dictionary), list.labels, list.query);
    into.positions = std::max(into.positions, list.documents.size());
  });
}

}  // namespace ultr
