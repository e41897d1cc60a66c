#include "data/simulation/noisy_ranking.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random_streams.h"
#include "data/simulation/approximate_normals.h"
#include "kernels/pack.h"

namespace ultr {
namespace {

using FloatPack = Pack<float>;

/// Candidates up to which lists are ranked by approximate scores first.
constexpr std::size_t most_approximated = 128;
/// Sessions whose lists are drawn together.
constexpr std::size_t sessions_at_once = 64;
static_assert(sessions_at_once % FloatPack::size == 0);

template <class T>
using PerSession = std::array<T, sessions_at_once>;

/// Draws queries, numbered from 0, by Zipf's law over n of them: P(query i) ∝ (i + 1)^-exponent.
class ZipfQueries {
 public:
  ZipfQueries(std::int64_t n, double exponent) {
    double sum = 0;
    for (std::int64_t i = 1; i <= n; ++i)
      cumulative_.push_back(sum += std::pow(static_cast<double>(i), -exponent));
    for (double& c : cumulative_) c /= sum;  // the last is 1
    // Where queries are few, most parts lie within one query.
    constexpr std::size_t most_parts_of_few = std::size_t{1} << 17;
    const std::size_t parts = std::bit_floor(cumulative_.size());
    first_.resize(std::max(parts, std::min(4 * parts, most_parts_of_few)));
    for (std::size_t part = 0, query = 0; part < first_.size(); ++part) {
      const double u = static_cast<double>(part) / static_cast<double>(first_.size());
      while (cumulative_[query] < u) ++query;
      first_[part] = static_cast<std::uint32_t>(query);
    }
  }

  /// Returns the first query whose cumulative probability is at least u, in [0, 1).
  std::int64_t operator()(double u) const {
    std::size_t query = first_[static_cast<std::size_t>(u * static_cast<double>(first_.size()))];
    while (cumulative_[query] < u) ++query;
    return static_cast<std::int64_t>(query);
  }

 private:
  std::vector<double> cumulative_;
  std::vector<std::uint32_t> first_;  // by equal parts of [0, 1): the query of its lower end
};

/// The noisy scores of the candidates of several sessions, and the ranks that follow from them.
/// Lanes of a register are sessions.
struct ApproximateScores {
  std::array<PerSession<float>, most_approximated> score;        // by candidate
  std::array<PerSession<std::int32_t>, most_approximated> rank;  // by candidate, from 0
  PerSession<float> largest;          // the largest quality plus the largest score, in magnitude
  PerSession<std::uint8_t> doubtful;  // 1: scores are too near each other to tell ranks

  /// Ranks the first n candidates. `noise` is the standard deviation of their noise.
  void rank_candidates(std::size_t n, float noise) {
    for (std::size_t session = 0; session < sessions_at_once; session += FloatPack::size)
      rank_pack(n, noise, session);
  }

 private:
  void rank_pack(std::size_t n, float noise, std::size_t session) {
    using Counts = Lanes<float>::Vector;
    constexpr float epsilon = std::numeric_limits<float>::epsilon();
    const FloatPack gap = (FloatPack::broadcast(noise * normal_error) +
                           FloatPack::load(&largest[session]) * FloatPack::broadcast(epsilon)) *
                          2;
    // The rank of a candidate is the number of better ones: at first all before it, less those that
    // turn out not to be.
    std::array<Counts, most_approximated> better;
    for (std::size_t d = 0; d < n; ++d) better[d] = Counts{} + static_cast<std::int32_t>(d);
    Lanes<float> near{};
    for (std::size_t d = 0; d < n; ++d) {
      const FloatPack own = FloatPack::load(&score[d][session]);
      Counts of_own = better[d];
      for (std::size_t other = d + 1; other < n; ++other) {
        const FloatPack difference = FloatPack::load(&score[other][session]) - own;
        const Counts other_is_better = (difference > FloatPack(0)).vector;  // -1 or 0
        of_own -= other_is_better;
        better[other] += other_is_better;
        near = near | (abs(difference) <= gap);
      }
      __builtin_memcpy(&rank[d][session], &of_own, sizeof of_own);
    }
    for (std::size_t lane = 0; lane < FloatPack::size; ++lane)
      doubtful[session + lane] |= near.vector[lane] != 0 ? 1 : 0;
  }
};

/// Draws the lists of a ranking.
class NoisyLists {
 public:
  NoisyLists(const NoisyRanking& ranking, std::uint64_t seed)
      : ranking_(ranking),
        seed_(seed),
        n_(static_cast<std::size_t>(ranking.candidates)),
        query_of_(ranking.queries, ranking.zipf) {}

  /// See DrawLists.
  void operator()(std::uint64_t first, std::size_t count, SessionLog& log) const {
    for (std::size_t done = 0; done < count; done += sessions_at_once)
      draw(first + done, std::min(sessions_at_once, count - done), log);
  }

 private:
  /// Several sessions, and draws of each one's stream.
  struct Group {
    PerSession<std::uint64_t> numbers, first, second, next_first, next_second;
    PerSession<std::int64_t> first_row;  // of each session's query
  };

  /// Draws up to sessions_at_once lists.
  void draw(std::uint64_t first, std::size_t count, SessionLog& log) const {
    Group group;
    std::iota(group.numbers.begin(), group.numbers.end(), first);
    draw_from_streams(seed_, RandomPurpose::simulation, 0, group.numbers, 0, group.first,
                      group.second);
    for (std::size_t j = 0; j < sessions_at_once; ++j) {
      group.first_row[j] = query_of_(uniform_of_bits(group.first[j])) * ranking_.candidates + 1;
      prefetch_quality(group.first_row[j]);
    }
    ApproximateScores scores;
    const bool approximate = n_ <= most_approximated;
    if (approximate) {
      score(group, scores);
      scores.rank_candidates(n_, static_cast<float>(ranking_.noise));
    }
    std::vector<std::uint32_t> ranked(n_), rows(count * ranking_.shown);
    std::vector<std::uint64_t> queries(count);
    for (std::size_t j = 0; j < count; ++j) {
      if (approximate && scores.doubtful[j] == 0)
        for (std::size_t d = 0; d < n_; ++d)
          ranked[static_cast<std::size_t>(scores.rank[d][j])] =
              static_cast<std::uint32_t>(group.first_row[j] + static_cast<std::int64_t>(d));
      else
        rank_exactly(group.numbers[j], group.first_row[j], ranked);
      std::copy_n(ranked.begin(), ranking_.shown,
                  rows.begin() + static_cast<std::ptrdiff_t>(j * ranking_.shown));
      queries[j] = static_cast<std::uint64_t>((group.first_row[j] - 1) / ranking_.candidates + 1);
    }
    log.add_unclicked(queries, rows);
  }

  float quality(std::int64_t row) const {
    return ranking_.quality.values == nullptr
               ? 0
               : ranking_.quality.values[row * ranking_.quality.stride];
  }

  /// Prefetches the quality of the first candidates of a query.
  void prefetch_quality(std::int64_t first_row) const {
    if (ranking_.quality.values == nullptr) return;
    const float* const first = ranking_.quality.values + first_row * ranking_.quality.stride;
    __builtin_prefetch(first);
    __builtin_prefetch(first + 64 / sizeof(float));
  }

  /// Computes the scores of all candidates. Normal number d of a session is made of the second draw
  /// from block d and the first draw from the next; the first draw of all told its query.
  void score(Group& group, ApproximateScores& scores) const {
    for (std::size_t d = 0; d < n_; ++d)
      for (std::size_t j = 0; j < sessions_at_once; ++j)
        scores.score[d][j] = quality(group.first_row[j] + static_cast<std::int64_t>(d));
    scores.doubtful.fill(0);
    scores.largest.fill(0);
    const auto noise = static_cast<float>(ranking_.noise);
    for (std::size_t d = 0; d < n_; ++d) {
      draw_from_streams(seed_, RandomPurpose::simulation, 0, group.numbers,
                        static_cast<std::uint32_t>(d + 1), group.next_first, group.next_second);
      PerSession<float> normals;
      approximate_normals(group.second, group.next_first, normals, scores.doubtful);
      group.second = group.next_second;
      for (std::size_t j = 0; j < sessions_at_once; ++j) {
        const float of_document = scores.score[d][j], noisy = of_document + noise * normals[j];
        scores.score[d][j] = noisy;
        const float magnitude = std::abs(of_document) + std::abs(noisy);
        scores.largest[j] = scores.largest[j] < magnitude ? magnitude : scores.largest[j];
      }
    }
  }

  /// Sets the first `shown` of `rows` to the best candidates by exact scores.
  void rank_exactly(std::uint64_t session, std::int64_t first_row,
                    std::vector<std::uint32_t>& rows) const {
    RandomStream random(seed_, RandomPurpose::simulation, 0, session);
    random.uniform();  // told the query
    std::vector<std::pair<double, std::uint32_t>> pool;
    for (std::int64_t row = first_row; row < first_row + ranking_.candidates; ++row)
      pool.emplace_back(-(static_cast<double>(quality(row)) + ranking_.noise * random.normal()),
                        row);
    const auto end_of_shown = pool.begin() + static_cast<std::ptrdiff_t>(ranking_.shown);
    std::partial_sort(pool.begin(), end_of_shown, pool.end());
    std::transform(pool.begin(), end_of_shown, rows.begin(),
                   [](const auto& candidate) { return candidate.second; });
  }

  NoisyRanking ranking_;
  std::uint64_t seed_;
  std::size_t n_;  // candidates
  ZipfQueries query_of_;
};

}  // namespace

DrawLists NoisyRanking::lists(std::uint64_t seed) const { return NoisyLists(*this, seed); }

}  // namespace ultr
