#include "data/simulation/simulated_clicks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <tbb/parallel_for.h>

#include "base/random.h"

namespace ultr {
namespace {

/// Number of sessions that one thread simulates at once.
constexpr std::uint64_t block_sessions = 4096;

/// Returns the random numbers of session `number`, except those of its clicks.
RandomStream random_of_session(std::uint64_t seed, std::uint64_t number) {
  return {seed, RandomPurpose::simulation, 0, number};
}

/// The list that a session shows, and the number of its ranking.
struct Shown {
  std::size_t list, ranking;
};

/// Simulates blocks of sessions.
class SessionMaker {
 public:
  SessionMaker(const FeatureLists& lists, std::span<const std::uint32_t> rows,
               const LoggingPolicy& policy, const SimulatedClickOptions& options,
               const SimulationRun& run)
      : lists_(lists), rows_(rows), policy_(policy), options_(options), run_(run) {}

  /// Simulates sessions `first` to first + count - 1 of the part, and stores in `shown` what they
  /// show. Users see documents by number, not by row: documents that share a row may differ.
  SessionLog make(const SimulatedUser& user, std::uint64_t first, std::uint64_t count,
                  std::vector<Shown>& shown) const {
    SessionLog log;
    shown.clear();
    std::vector<std::uint32_t> order, numbers;
    std::vector<std::uint16_t> positions;
    std::vector<std::uint8_t> clicks;
    // Parts have disjoint session numbers: no part has 2^40 sessions.
    first += static_cast<std::uint64_t>(run_.part) << 40;
    for (std::uint64_t i = 0; i < count; ++i) {
      RandomStream random = random_of_session(run_.seed, first + i);
      const auto list = static_cast<std::size_t>(random.below(lists_.lists()));
      const auto ranking = static_cast<std::size_t>(random.below(policy_.rankings()));
      shown.push_back({list, ranking});
      policy_.rank(list, ranking, static_cast<std::size_t>(options_.positions), random, order);
      const auto number_before = static_cast<std::uint32_t>(lists_.columns().offsets[list]);
      numbers.clear();
      for (const std::uint32_t document : order) numbers.push_back(number_before + document + 1);
      positions.resize(order.size());
      std::iota(positions.begin(), positions.end(), std::uint16_t{0});
      clicks.assign(order.size(), 0);
      log.add({.rows = numbers,
               .positions = positions,
               .clicks = clicks,
               .query = lists_.columns().queries.empty() ? 0 : lists_.columns().queries[list]});
    }
    user(log, first);
    for (std::uint64_t i = 0; options_.click_noise > 0 && i < count; ++i) {
      RandomStream random(run_.seed, RandomPurpose::clicks, noise_step, first + i);
      for (std::uint8_t& click : log.clicks(i))
        if (random.uniform() < options_.click_noise) click = click == 0 ? 1 : 0;
    }
    return with_rows(log);
  }

 private:
  /// Returns the log with dictionary rows in place of document numbers.
  SessionLog with_rows(const SessionLog& numbered) const {
    SessionLog log;
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < numbered.sessions(); ++i) {
      SessionView session = numbered[i];
      rows.clear();
      for (const std::uint32_t number : session.rows) rows.push_back(rows_[number - 1]);
      session.rows = rows;
      log.add(session);
    }
    return log;
  }

  static constexpr std::uint32_t noise_step = 1;  // users draw in step 0

  const FeatureLists& lists_;
  std::span<const std::uint32_t> rows_;
  const LoggingPolicy& policy_;
  const SimulatedClickOptions& options_;
  const SimulationRun& run_;
};

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

  void add(const SessionLog& sessions, std::span<const Shown> shown) {
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const std::size_t at = shown[i].list * rankings_ + shown[i].ranking;
      ++sessions_[at];
      const SessionView session = sessions[i];
      for (std::size_t k = 0; k < session.clicks.size(); ++k)
        clicks_[begin_[at] + k] += session.clicks[k];
    }
  }
  void add(const ClickCounts& other) {
    for (std::size_t i = 0; i < sessions_.size(); ++i) sessions_[i] += other.sessions_[i];
    for (std::size_t i = 0; i < clicks_.size(); ++i) clicks_[i] += other.clicks_[i];
  }

  std::uint64_t sessions(std::size_t list, std::size_t ranking) const {
    return sessions_[list * rankings_ + ranking];
  }
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

/// Returns one session per ranking that was shown, with its click rates as targets.
SessionLog mean_sessions(const FeatureLists& lists, std::span<const std::uint32_t> rows,
                         const LoggingPolicy& policy, std::size_t positions,
                         const ClickCounts& counts) {
  SessionLog log;
  std::vector<std::uint32_t> order, shown;
  for (std::size_t l = 0; l < lists.lists(); ++l)
    for (std::size_t r = 0; r < policy.rankings(); ++r) {
      if (counts.sessions(l, r) == 0) continue;
      RandomStream unused = random_of_session(0, 0);  // all sessions show the same order
      policy.rank(l, r, positions, unused, order);
      shown.clear();
      for (const std::uint32_t document : order)
        shown.push_back(rows[static_cast<std::size_t>(lists.columns().offsets[l]) + document]);
      std::vector<std::uint16_t> at(order.size());
      std::iota(at.begin(), at.end(), std::uint16_t{0});
      log.add({.rows = shown,
               .positions = at,
               .clicks = std::vector<std::uint8_t>(order.size()),
               .query = lists[l].query,
               .propensities = {},
               .targets = counts.rates(l, r)});
    }
  return log;
}

}  // namespace

void SimulatedClickOptions::fields(Fields& f) {
  f.integer("sessions", sessions,
            "Sessions on the training lists, each on a list drawn at random; held-out lists get as "
            "many per list.",
            between(1, 1e9));
  f.integer("positions", positions, "Documents shown per session.", between(1, 1000));
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
  const double a_list = static_cast<double>(options.sessions) /
                        static_cast<double>(std::max<std::size_t>(1, training_lists));
  return std::max<std::int64_t>(1, std::llround(a_list * static_cast<double>(lists)));
}

SessionLog simulate_clicks(const FeatureLists& lists, std::span<const std::uint32_t> rows,
                           const LoggingPolicy& policy, const SimulatedUsers& users,
                           const SimulatedClickOptions& options, const SimulationRun& run) {
  const SessionMaker maker(lists, rows, policy, options, run);
  const auto sessions = static_cast<std::uint64_t>(run.sessions);
  const auto positions = static_cast<std::size_t>(options.positions);
  const std::uint64_t blocks = (sessions + block_sessions - 1) / block_sessions;
  const auto threads = static_cast<std::size_t>(run.threads);
  std::vector<SimulatedUser> user_of(threads);
  for (SimulatedUser& user : user_of) user = users();
  /// Simulates blocks on all threads; calls take(worker, block, sessions, what they show) for each.
  const auto for_each_block = [&](std::uint64_t first, std::uint64_t end, const auto& take) {
    tbb::parallel_for(
        std::size_t{0}, threads,
        [&](std::size_t worker) {
          std::vector<Shown> shown;
          for (std::uint64_t block = first + worker; block < end; block += threads) {
            const std::uint64_t begin = block * block_sessions;
            const SessionLog log = maker.make(user_of[worker], begin,
                                              std::min(block_sessions, sessions - begin), shown);
            take(worker, block, log, shown);
          }
        },
        tbb::static_partitioner());
  };

  if (options.aggregate) {
    std::vector<ClickCounts> counts(threads, ClickCounts(lists, policy.rankings(), positions));
    for_each_block(0, blocks,
                   [&](std::size_t worker, std::uint64_t, const SessionLog& log,
                       std::span<const Shown> shown) { counts[worker].add(log, shown); });
    for (std::size_t worker = 1; worker < threads; ++worker) counts[0].add(counts[worker]);
    return mean_sessions(lists, rows, policy, positions, counts[0]);
  }
  SessionLog all;
  std::vector<SessionLog> made(threads);
  for (std::uint64_t done = 0; done < blocks; done += threads) {
    for_each_block(done, std::min<std::uint64_t>(blocks, done + threads),
                   [&](std::size_t, std::uint64_t block, const SessionLog& log,
                       std::span<const Shown>) { made[block - done] = log; });
    const std::size_t count = std::min<std::uint64_t>(threads, blocks - done);
    for (std::size_t b = 0; b < count; ++b)
      for (std::size_t i = 0; i < made[b].sessions(); ++i) all.add(made[b][i]);
  }
  return all;
}

}  // namespace ultr
