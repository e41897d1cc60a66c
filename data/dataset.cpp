#include "data/dataset.h"

#include <algorithm>

#include <fmt/core.h>

#include "autograd/random.h"
#include "data/error.h"

namespace ultr {
namespace {

void add_session(const RawList& list, const std::vector<std::uint32_t>& rows, Dataset& into,
                 SessionLog& log) {
  log.add({rows, list.positions, list.clicks, list.query, list.propensities});
  into.positions = std::max(into.positions, log.positions());
}

std::vector<std::uint32_t> known_rows(const RawList& list, const PairDictionary& dictionary) {
  std::vector<std::uint32_t> rows;
  for (const std::uint64_t document : list.documents)
    rows.push_back(dictionary.find(list.query, document));
  return rows;
}

}  // namespace

Split SplitShares::of(std::uint64_t session) const {
  if (valid == 0 && test == 0) return Split::train;
  const double drawn = RandomStream(seed, RandomPurpose::split, 0, session).uniform();
  return drawn < valid ? Split::valid : drawn < valid + test ? Split::test : Split::train;
}

void DatasetReader::read_all(const Files& files, Dataset& into,
                             const std::function<void(const RawList&)>& take) const {
  for (const std::filesystem::path& file : files) {
    const ReadReport report = read_(file, rules_, take);
    add_notes(file, report, rules_, into.notes);
  }
}

void DatasetReader::read_train(const Files& files, const SplitShares& shares, Dataset& into) const {
  // Held-out sessions wait until the dictionary has all pairs of training.
  std::vector<RawList> held_out[2];
  std::uint64_t number = 0;
  std::vector<std::uint32_t> rows;
  read_all(files, into, [&](const RawList& list) {
    const Split split = shares.of(number++);
    if (split != Split::train) {
      held_out[split == Split::valid ? 0 : 1].push_back(list);
      return;
    }
    rows.clear();
    for (const std::uint64_t document : list.documents)
      rows.push_back(into.dictionary.add(list.query, document));
    add_session(list, rows, into, into.train);
  });
  if (into.train.sessions() == 0)
    throw DataError("no session is left to train on; expected smaller data.split shares");
  for (const RawList& list : held_out[0])
    add_session(list, known_rows(list, into.dictionary), into, into.valid);
  for (const RawList& list : held_out[1])
    add_session(list, known_rows(list, into.dictionary), into, into.test);
}

void DatasetReader::read_sessions(const Files& files, Dataset& into, SessionLog& log) const {
  read_all(files, into, [&](const RawList& list) {
    add_session(list, known_rows(list, into.dictionary), into, log);
  });
}

void DatasetReader::read_labels(const Files& files, Dataset& into) const {
  read_all(files, into, [&](const RawList& list) {
    if (list.labels.empty())
      throw DataError("the list has no relevance labels; expected judged lists");
    into.labels.add(known_rows(list, into.dictionary), list.labels, list.query);
    into.positions = std::max(into.positions, list.documents.size());
  });
}

}  // namespace ultr
