#include "optim/coins.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/sigmoid.h"
#include "kernels/vector_math.h"

namespace ultr {
namespace {

using P = Pack<double>;

/// Returns the logit of heads / tosses, limited to ± largest_coin_logit. Requires tosses > 0.
P logit_of_share(P heads, P tosses) {
  const P tails = tosses - heads;
  const P logit = log(heads / tails);
  return where(heads <= P(0), -largest_coin_logit,
               where(tails <= P(0), largest_coin_logit,
                     max(min(logit, largest_coin_logit), -largest_coin_logit)));
}

float logit_of_share(double heads, double tosses) {
  double lanes[P::size];
  logit_of_share(P(heads), P(tosses)).store(lanes);
  return static_cast<float>(lanes[0]);
}

struct CoinTotals {
  double heads = 0, tosses = 0;
};

/// The coins of a parameter, processed in packs.
class Coins {
 public:
  Coins(const EntryLogits& logits, const CoinEvidence& evidence)
      : values_(*logits.values),
        baseline_(logits.baseline == nullptr ? 0 : static_cast<double>(logits.baseline->value(0))),
        evidence_(evidence) {}

  /// The heads and tosses of all entries.
  CoinTotals totals(const SumOfEntries& sum_of_entries) const {
    if (!sum_of_entries) {
      P heads_seen(0), tosses_seen(0);
      for_each([&](std::size_t first, std::size_t count) {
        heads_seen += heads(first, count);
        tosses_seen += tosses(first, count);
      });
      return {sum(heads_seen), sum(tosses_seen)};
    }
    std::vector<double> own(evidence_.tosses.size());
    for_each([&](std::size_t first, std::size_t count) {
      heads(first, count).store(own.data() + first, count);
    });
    return {sum_of_entries(own), sum_of_entries(evidence_.tosses)};
  }
  /// Calls `work(first, count)` for all entries, `count` of them at a time.
  template <class Work>
  void for_each(Work work) const {
    const auto rows = static_cast<std::size_t>(values_.rows());
    for (std::size_t i = 0; i < rows; i += P::size) work(i, std::min(P::size, rows - i));
  }
  P tosses(std::size_t first, std::size_t count) const {
    return P::load(evidence_.tosses.data() + first, count);
  }
  P values(std::size_t first, std::size_t count) const {
    double lanes[P::size] = {};
    for (std::size_t i = 0; i < count; ++i)
      lanes[i] = static_cast<double>(values_.value(static_cast<std::int64_t>(first + i)));
    return P::load(lanes);
  }
  void assign(std::size_t first, std::size_t count, P values) {
    double lanes[P::size];
    values.store(lanes);
    for (std::size_t i = 0; i < count; ++i)
      values_.value(static_cast<std::int64_t>(first + i)) = static_cast<float>(lanes[i]);
  }
  /// The probabilities of heads before the update.
  P probabilities(std::size_t first, std::size_t count) const {
    return 1 / (1 + exp(-(P(baseline_) + values(first, count))));
  }
  /// Expected number of tosses that showed heads; 0 for coins that were not tossed.
  P heads(std::size_t first, std::size_t count) const {
    const P n = tosses(first, count), x = P(baseline_) + values(first, count);
    const P expected = n / (1 + exp(-x)) + P::load(evidence_.gradient.data() + first, count);
    // Rounding may put the number slightly outside [0, n].
    return max(min(expected, n), 0.0);
  }

 private:
  Parameter& values_;
  double baseline_;
  CoinEvidence evidence_;
};

}  // namespace

void PseudoTosses::fields(Fields& f) {
  f.number("pseudo_count", count,
           "Pseudo-tosses added to the observed tosses of every coin (a Beta prior).", at_least(0));
  f.optional_number(
      "pseudo_mean", mean,
      "Share of heads among pseudo-tosses; null: the share over all coins of the parameter.",
      inside(0, 1));
}

void EmOptions::fields(Fields& f) {
  pseudo.fields(f);
  f.number("tolerance", tolerance,
           "Stop when no probability changes by more than this in a pass, whatever the validation "
           "loss is; 0: never.",
           between(0, 1));
}

EntrySum::EntrySum() : lanes_(P::size) {}

void EntrySum::add(std::span<const double> numbers) {
  for (const double number : numbers) lanes_[next_++ % P::size] += number;
}

double EntrySum::total() const { return sum(P::load(lanes_.data())); }

double maximise_coins(const EntryLogits& logits, const CoinEvidence& evidence,
                      const PseudoTosses& pseudo, const SumOfEntries& sum) {
  Coins coins(logits, evidence);
  const bool has_baseline = logits.baseline != nullptr;
  double mean = pseudo.mean.value_or(0);
  if (has_baseline || (pseudo.count > 0 && !pseudo.mean)) {
    const CoinTotals all = coins.totals(sum);
    if (all.tosses == 0) return 0;
    if (pseudo.count == 0 || !pseudo.mean) mean = all.heads / all.tosses;
  }
  const float new_baseline = has_baseline ? logit_of_share(mean, 1) : 0;
  P change(0);
  coins.for_each([&](std::size_t first, std::size_t count) {
    const P seen = coins.tosses(first, count), tosses = seen + pseudo.count;
    const P updated = logit_of_share(coins.heads(first, count) + pseudo.count * mean, tosses) -
                      P(static_cast<double>(new_baseline));
    const P untossed = has_baseline ? P(0) : coins.values(first, count);
    const P before = coins.probabilities(first, count),
            after = 1 / (1 + exp(-(P(static_cast<double>(new_baseline)) + updated)));
    change = max(change, where(seen > P(0), abs(after - before), P(0)));
    coins.assign(first, count, where((has_baseline ? seen : tosses) > P(0), updated, untossed));
  });
  if (has_baseline) logits.baseline->value(0) = new_baseline;
  double lanes[P::size];
  change.store(lanes);
  return *std::max_element(std::begin(lanes), std::end(lanes));
}

double maximise_shares(Parameter& logits, const CoinEvidence& evidence) {
  const std::vector<float> old = logits.values();
  const double largest = static_cast<double>(*std::max_element(old.begin(), old.end()));
  std::vector<double> share;
  for (const float x : old) share.push_back(std::exp(static_cast<double>(x) - largest));
  const double sum = std::accumulate(share.begin(), share.end(), 0.0);
  double change = 0;
  for (std::size_t i = 0; i < share.size(); ++i) {
    if (evidence.tosses[i] == 0) return change;
    const double step = evidence.gradient[i] / evidence.tosses[i];
    const double updated = share[i] / sum + step;
    change = std::max(change, std::abs(step));
    logits.value(static_cast<std::int64_t>(i)) =
        static_cast<float>(std::log(std::max(updated, std::exp(-largest_coin_logit))));
  }
  return change;
}

}  // namespace ultr
