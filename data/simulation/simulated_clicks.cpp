#include "data/simulation/simulated_clicks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/random.h"
#include "data/log/parallel_shards.h"
#include "data/simulation/simulate_sessions.h"
#include "data/simulation/simulation_fields.h"

namespace ultr {
namespace {

/// Returns the random numbers of session `number`, except those of its clicks.
RandomStream random_of_session(std::uint64_t seed, std::uint64_t number) {
  return {seed, RandomPurpose::simulation, 0, number};
}

/// The list that a session shows, and the number of its ranking.
struct ShownList {
  std::size_t list, ranking;
};

/// Draws the lists that sessions show. Users see documents by number, not by row: documents that
/// share a row may differ.
class ShownLists {
 public:
  ShownLists(const FeatureLists& lists, const LoggingPolicy& policy, std::size_t positions,
             std::uint64_t seed)
      : lists_(lists), policy_(policy), positions_(positions), seed_(seed) {}

  /// See DrawList.
  std::uint64_t operator()(std::uint64_t session, std::vector<std::uint32_t>& numbers) const {
    RandomStream random = random_of_session(seed_, session);
    const ShownList shown = draw(random);
    return order(shown, random, numbers);
  }
  ShownList shown(std::uint64_t session) const {
    RandomStream random = random_of_session(seed_, session);
    return draw(random);
  }
  /// Sets `numbers` to the documents in the order of a session, and returns the query.
  std::uint64_t order(const ShownList& shown, RandomStream& random,
                      std::vector<std::uint32_t>& numbers) const {
    policy_.rank(shown.list, shown.ranking, positions_, random, numbers);
    const auto number_before = static_cast<std::uint32_t>(lists_.columns().offsets[shown.list]);
    for (std::uint32_t& number : numbers) number += number_before + 1;
    return lists_.columns().queries.empty() ? 0 : lists_.columns().queries[shown.list];
  }

 private:
  ShownList draw(RandomStream& random) const {
    const auto list = static_cast<std::size_t>(random.below(lists_.lists()));
    return {list, static_cast<std::size_t>(random.below(policy_.rankings()))};
  }

  const FeatureLists& lists_;
  const LoggingPolicy& policy_;
  std::size_t positions_;
  std::uint64_t seed_;
};

/// Flips clicks, and their absence, with probability click_noise, and takes away those at ranks
/// that users are not shown. `number`: that of the session.
void disturb(std::span<std::uint8_t> clicks, std::uint64_t number,
             const SimulatedClickOptions& options, std::uint64_t seed) {
  constexpr std::uint32_t noise_step = 1;  // users draw in step 0
  if (options.click_noise > 0) {
    RandomStream random(seed, RandomPurpose::clicks, noise_step, number);
    for (std::uint8_t& click : clicks)
      if (random.uniform() < options.click_noise) click = click == 0 ? 1 : 0;
  }
  const auto seen = std::min(clicks.size(), static_cast<std::size_t>(options.cut_off));
  std::ranges::fill(clicks.subspan(seen), std::uint8_t{0});
}

/// Appends sessions to `log`, with dictionary rows in place of document numbers.
void append_numbered(SessionLog& log, const SessionLog& numbered,
                     std::span<const std::uint32_t> row_of) {
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < numbered.sessions(); ++i) {
    SessionView session = numbered[i];
    rows.clear();
    for (const std::uint32_t number : session.rows) rows.push_back(row_of[number - 1]);
    session.rows = rows;
    log.add(session);
  }
}

/// Numbers of sessions per ranking of each list, and of clicks per document of each ranking.
class ClickCounts {
 public:
  ClickCounts(const FeatureLists& lists, std::size_t rankings, std::size_t positions)
      : rankings_(rankings), sessions_(lists.lists() * rankings) {
    std::size_t documents = 0;
    for (std::size_t l = 0; l < lists.lists(); ++l)
      for (std::size_t r = 0; r < rankings; ++r) {
        begin_.push_back(documents);
        documents += std::min(lists.length(l), positions);
      }
    begin_.push_back(documents);
    clicks_.resize(documents);
  }

  void add(const ShownList& shown, std::span<const std::uint8_t> clicks) {
    const std::size_t at = shown.list * rankings_ + shown.ranking;
    ++sessions_[at];
    for (std::size_t k = 0; k < clicks.size(); ++k) clicks_[begin_[at] + k] += clicks[k];
  }
  void add(const ClickCounts& other) {
    for (std::size_t i = 0; i < sessions_.size(); ++i) sessions_[i] += other.sessions_[i];
    for (std::size_t i = 0; i < clicks_.size(); ++i) clicks_[i] += other.clicks_[i];
  }

  std::uint64_t sessions(std::size_t list, std::size_t ranking) const {
    return sessions_[list * rankings_ + ranking];
  }
  /// Returns the part that a ranking has of numbers that are kept for the documents of all.
  std::span<double> part(std::span<double> all, const ShownList& shown) const {
    const std::size_t at = shown.list * rankings_ + shown.ranking;
    return all.subspan(begin_[at], begin_[at + 1] - begin_[at]);
  }
  std::size_t documents() const { return clicks_.size(); }
  std::vector<float> rates(std::size_t list, std::size_t ranking) const {
    const std::size_t at = list * rankings_ + ranking;
    std::vector<float> rates;
    for (std::size_t i = begin_[at]; i < begin_[at + 1]; ++i)
      rates.push_back(
          static_cast<float>(static_cast<double>(clicks_[i]) / static_cast<double>(sessions_[at])));
    return rates;
  }

 private:
  std::size_t rankings_;
  std::vector<std::size_t> begin_;  // index of each ranking's first document in clicks_
  std::vector<std::uint64_t> sessions_, clicks_;
};

/// The rankings of one list that sessions were shown, in the order of their numbers.
struct ShownRankings {
  std::vector<std::size_t> numbers;
  std::vector<std::vector<std::uint32_t>> orders;  // of the list's documents
};

ShownRankings shown_rankings(const LoggingPolicy& policy, std::size_t list, std::size_t positions,
                             const ClickCounts& counts) {
  ShownRankings shown;
  for (std::size_t r = 0; r < policy.rankings(); ++r) {
    if (counts.sessions(list, r) == 0) continue;
    RandomStream unused = random_of_session(0, 0);  // all sessions show the same order
    shown.numbers.push_back(r);
    policy.rank(list, r, positions, unused, shown.orders.emplace_back());
  }
  return shown;
}

/// Returns the propensities of the rankings of a list, document by document from the top (see
/// simulate_clicks). Over the rankings that show d at k, 1 / propensity sums to the number of all
/// rankings of the list, divided in proportion to their sessions. A propensity may exceed 1.
std::vector<std::vector<float>> ranking_propensities(const ShownRankings& shown, std::size_t list,
                                                     const ClickCounts& counts) {
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint64_t> sessions_at;
  for (std::size_t i = 0; i < shown.numbers.size(); ++i)
    for (std::size_t k = 0; k < shown.orders[i].size(); ++k)
      sessions_at[{shown.orders[i][k], k}] += counts.sessions(list, shown.numbers[i]);
  std::vector<std::vector<float>> propensities(shown.numbers.size());
  for (std::size_t i = 0; i < shown.numbers.size(); ++i) {
    const double alike = static_cast<double>(shown.numbers.size()) *
                         static_cast<double>(counts.sessions(list, shown.numbers[i]));
    for (std::size_t k = 0; k < shown.orders[i].size(); ++k)
      propensities[i].push_back(
          static_cast<float>(static_cast<double>(sessions_at[{shown.orders[i][k], k}]) / alike));
  }
  return propensities;
}

/// Returns the click probabilities of the documents of all rankings, where ClickCounts counts their
/// clicks.
std::vector<double> probabilities_of_rankings(const FeatureLists& lists,
                                              const LoggingPolicy& policy, const ShownLists& drawn,
                                              const IndependentUsers& users,
                                              const ClickCounts& counts) {
  std::vector<double> all(counts.documents());
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint16_t> positions;
  for (std::size_t l = 0; l < lists.lists(); ++l)
    for (std::size_t r = 0; r < policy.rankings(); ++r) {
      RandomStream unused = random_of_session(0, 0);  // all sessions show the same order
      const std::uint64_t query = drawn.order({l, r}, unused, numbers);
      positions.resize(numbers.size());
      std::iota(positions.begin(), positions.end(), std::uint16_t{0});
      users.probabilities({.rows = numbers, .positions = positions, .query = query},
                          counts.part(all, {l, r}));
    }
  return all;
}

/// Counts the sessions and clicks of independent users, each worker its own.
void count_clicks(const SessionSimulation& simulation, const ShownLists& drawn,
                  const IndependentUsers& users, std::span<double> probabilities,
                  const SimulatedClickOptions& options, std::vector<ClickCounts>& counts) {
  const std::size_t blocks = shards_of(simulation.sessions);
  for_each_item(simulation.threads, blocks, [&](std::size_t worker, std::size_t block) {
    std::vector<std::uint8_t> clicks;
    const std::uint64_t begin = block * shard_sessions;
    const std::uint64_t end = std::min<std::uint64_t>(begin + shard_sessions, simulation.sessions);
    for (std::uint64_t number = simulation.first + begin; number < simulation.first + end;
         ++number) {
      const ShownList shown = drawn.shown(number);
      const std::span<const double> its = counts[worker].part(probabilities, shown);
      clicks.resize(its.size());
      users.click(number, its, clicks);
      disturb(clicks, number, options, users.seed);
      counts[worker].add(shown, clicks);
    }
  });
}

/// Returns one session per ranking that was shown, with its click rates as targets.
SessionLog mean_sessions(const FeatureLists& lists, std::span<const std::uint32_t> rows,
                         const LoggingPolicy& policy, std::size_t positions,
                         const ClickCounts& counts) {
  SessionLog log;
  std::vector<std::uint32_t> pairs;
  for (std::size_t l = 0; l < lists.lists(); ++l) {
    const ShownRankings shown = shown_rankings(policy, l, positions, counts);
    const auto propensities = ranking_propensities(shown, l, counts);
    for (std::size_t i = 0; i < shown.numbers.size(); ++i) {
      pairs.clear();
      for (const std::uint32_t document : shown.orders[i])
        pairs.push_back(rows[static_cast<std::size_t>(lists.columns().offsets[l]) + document]);
      std::vector<std::uint16_t> at(pairs.size());
      std::iota(at.begin(), at.end(), std::uint16_t{0});
      log.add({.rows = pairs,
               .positions = at,
               .clicks = std::vector<std::uint8_t>(pairs.size()),
               .query = lists[l].query,
               .propensities = propensities[i],
               .targets = counts.rates(l, shown.numbers[i])});
    }
  }
  return log;
}

}  // namespace

void SimulatedClickOptions::fields(Fields& f) {
  f.integer("sessions", sessions,
            "Sessions on the training lists, each on a list drawn at random; held-out lists get as "
            "many per list.",
            between(1, 1e9));
  shown_positions_field(f, positions);
  f.integer("cut_off", cut_off,
            "Documents per session that users see. The others are candidates that were not shown: "
            "they stand below, without clicks.",
            between(1, 1000));
  f.integer("rankings", rankings,
            "Rankings by the policy per list, each with its own noise; a session draws one.",
            between(1, 1e6));
  f.number("click_noise", click_noise,
           "Probability that a click is lost, or that a missing one is added.", between(0, 1));
  f.boolean("aggregate", aggregate,
            "Learn from mean click rates per ranking instead of from single sessions.");
}

std::int64_t sessions_of_part(const SimulatedClickOptions& options, std::size_t lists,
                              std::size_t training_lists) {
  const double per_list = static_cast<double>(options.sessions) /
                          static_cast<double>(std::max<std::size_t>(1, training_lists));
  return std::max<std::int64_t>(1, std::llround(per_list * static_cast<double>(lists)));
}

SessionLog simulate_clicks(const FeatureLists& lists, std::span<const std::uint32_t> rows,
                           const LoggingPolicy& policy, const UsersOfLists& users,
                           const SimulatedClickOptions& options, const SimulationRun& run) {
  const auto positions = static_cast<std::size_t>(options.positions);
  const auto workers = options.aggregate ? static_cast<std::size_t>(run.threads) : 0;
  std::vector<ClickCounts> counts(workers, ClickCounts(lists, policy.rankings(), positions));
  const ShownLists drawn(lists, policy, positions, run.seed);
  const SessionSimulation simulation = {
      .first = static_cast<std::uint64_t>(run.part) << 40,  // disjoint: no part has 2^40 sessions
      .sessions = static_cast<std::uint64_t>(run.sessions),
      .threads = run.threads,
      .draw = one_by_one(drawn),
      .users = users.users,
      .finish = [&](std::size_t worker, std::uint64_t first, SessionLog& block) {
        for (std::size_t i = 0; i < block.sessions(); ++i) {
          disturb(block.clicks(i), first + i, options, run.seed);
          if (options.aggregate) counts[worker].add(drawn.shown(first + i), block[i].clicks);
        }
      }};
  SessionLog log;
  if (options.aggregate && users.independent) {
    std::vector<double> probabilities =
        probabilities_of_rankings(lists, policy, drawn, *users.independent, counts[0]);
    count_clicks(simulation, drawn, *users.independent, probabilities, options, counts);
  } else {
    simulate_sessions(simulation, [&](const SessionLog& block) {
      if (!options.aggregate) append_numbered(log, block, rows);
    });
  }
  if (!options.aggregate) return log;
  for (std::size_t worker = 1; worker < workers; ++worker) counts[0].add(counts[worker]);
  return mean_sessions(lists, rows, policy, positions, counts[0]);
}

}  // namespace ultr
