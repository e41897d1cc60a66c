#include "data/simulation/noisy_ranking.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/random.h"
#include "data/simulation/approximate_normals.h"
#include "kernels/pack.h"

namespace ultr {
namespace {

using FloatPack = Pack<float>;

/// Candidates up to which lists are ranked by approximate scores first.
constexpr std::size_t most_approximated = 128;
static_assert(most_approximated % FloatPack::size == 0);

/// Draws queries, numbered from 0, by Zipf's law over n of them: P(query i) ∝ (i + 1)^-exponent.
class ZipfQueries {
 public:
  ZipfQueries(std::int64_t n, double exponent) {
    double sum = 0;
    for (std::int64_t i = 1; i <= n; ++i)
      cumulative_.push_back(sum += std::pow(static_cast<double>(i), -exponent));
    for (double& c : cumulative_) c /= sum;  // the last is 1
    first_.resize(std::bit_floor(cumulative_.size()));
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

/// The candidates of a query and the number of a session that shows the best of them.
struct CandidateList {
  const NoisyRanking& ranking;
  std::uint64_t seed, session;
  std::int64_t first_row;
  std::span<const float> quality;

  /// Sets `rows` to the best candidates. `random` is the session's stream after its query was
  /// drawn.
  void rank(RandomStream& random, std::vector<std::uint32_t>& rows) const {
    std::vector<std::pair<double, std::uint32_t>> pool;
    for (std::size_t d = 0; d < quality.size(); ++d)
      pool.emplace_back(-(static_cast<double>(quality[d]) + ranking.noise * random.normal()),
                        first_row + static_cast<std::int64_t>(d));
    const auto end_of_shown = pool.begin() + static_cast<std::ptrdiff_t>(ranking.shown);
    std::partial_sort(pool.begin(), end_of_shown, pool.end());
    rows.clear();
    for (auto at = pool.begin(); at != end_of_shown; ++at) rows.push_back(at->second);
  }

  /// Does the same in a fraction of the time, from approximate scores. Returns false, with any
  /// rows, if scores are too near each other to tell which is the better.
  bool rank_by_approximation(std::vector<std::uint32_t>& rows) const {
    const std::size_t n = quality.size();
    if (n > most_approximated) return false;
    std::array<float, most_approximated> scores;
    if (!approximate_normals(seed, RandomPurpose::simulation, session, std::span(scores).first(n)))
      return false;
    const auto noise = static_cast<float>(ranking.noise);
    float largest = 0;
    for (std::size_t d = 0; d < n; ++d) {
      scores[d] = quality[d] + noise * scores[d];
      largest = std::max(largest, std::abs(quality[d]) + std::abs(scores[d]));
    }
    const float gap = 2 * (noise * normal_error + largest * std::numeric_limits<float>::epsilon());
    std::fill(scores.begin() + static_cast<std::ptrdiff_t>(n), scores.end(), 0.0f);
    rows.resize(ranking.shown);
    for (std::size_t begin = 0; begin < n; begin += FloatPack::size) {
      const FloatPack of_pack = FloatPack::load(&scores[begin]);
      Lanes<float>::Vector better{}, near{};  // counts, negated
      for (std::size_t d = 0; d < n; ++d) {
        const FloatPack other(FloatPack::broadcast(scores[d]));
        better += (other > of_pack).vector;
        near += (abs(other - of_pack) < FloatPack::broadcast(gap)).vector;
      }
      for (std::size_t lane = 0; lane < std::min(FloatPack::size, n - begin); ++lane) {
        if (near[lane] != -1) return false;  // more than the candidate itself
        const auto rank = static_cast<std::size_t>(-better[lane]);
        if (rank < rows.size())
          rows[rank] =
              static_cast<std::uint32_t>(first_row + static_cast<std::int64_t>(begin + lane));
      }
    }
    return true;
  }
};

}  // namespace

DrawList NoisyRanking::lists(std::uint64_t seed) const {
  return [ranking = *this, seed, queries_of = ZipfQueries(queries, zipf)](
             std::uint64_t session, std::vector<std::uint32_t>& rows) {
    RandomStream random(seed, RandomPurpose::simulation, 0, session);
    const std::int64_t query = queries_of(random.uniform());
    const std::int64_t first_row = query * ranking.candidates + 1;
    const auto n = static_cast<std::size_t>(ranking.candidates);
    std::array<float, most_approximated> few;
    std::vector<float> many(n > few.size() ? n : 0);
    const std::span<float> of_candidates = many.empty() ? std::span(few).first(n) : std::span(many);
    ranking.quality(first_row, of_candidates);
    const CandidateList list{ranking, seed, session, first_row, of_candidates};
    if (!list.rank_by_approximation(rows)) list.rank(random, rows);
    return static_cast<std::uint64_t>(query + 1);
  };
}

}  // namespace ultr
