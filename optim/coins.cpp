#include "optim/coins.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ultr {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// The logit of heads / tosses, within limits.
double logit_of_share(double heads, double tosses) {
  const double tails = tosses - heads;
  if (heads <= 0) return -largest_coin_logit;
  if (tails <= 0) return largest_coin_logit;
  return std::clamp(std::log(heads) - std::log(tails), -largest_coin_logit, largest_coin_logit);
}

}  // namespace

void PseudoTosses::fields(Fields& f) {
  f.number("pseudo_count", count,
           "Tosses added to those that the log shows of every coin (a Beta prior).", at_least(0));
  f.optional_number("pseudo_mean", mean,
                    "Share of heads among them; null: that of all coins of the parameter.",
                    inside(0, 1));
}

void maximise_coins(const EntryLogits& logits, const CoinEvidence& evidence,
                    const PseudoTosses& pseudo) {
  Parameter& values = *logits.values;
  const auto rows = static_cast<std::size_t>(values.rows());
  const double baseline =
      logits.baseline == nullptr ? 0 : static_cast<double>(logits.baseline->value(0));
  const auto heads_of = [&](std::size_t i) {
    const double x = baseline + static_cast<double>(values.value(static_cast<std::int64_t>(i)));
    // Rounding may put the expected heads a hair outside of what is possible.
    return std::clamp(sigmoid(x) * evidence.tosses[i] + evidence.gradient[i], 0.0,
                      evidence.tosses[i]);
  };
  double all_heads = 0, all_tosses = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (evidence.tosses[i] == 0) continue;
    all_heads += heads_of(i);
    all_tosses += evidence.tosses[i];
  }
  if (all_tosses == 0) return;
  const double share = all_heads / all_tosses;
  const double mean = pseudo.count > 0 ? pseudo.mean.value_or(share) : share;
  const float new_baseline =
      logits.baseline == nullptr ? 0 : static_cast<float>(logit_of_share(mean, 1));
  for (std::size_t i = 0; i < rows; ++i) {
    float& value = values.value(static_cast<std::int64_t>(i));
    const double tosses = evidence.tosses[i] + pseudo.count;
    if (tosses > 0 && (evidence.tosses[i] > 0 || logits.baseline == nullptr))
      value = static_cast<float>(logit_of_share(heads_of(i) + pseudo.count * mean, tosses) -
                                 static_cast<double>(new_baseline));
    else if (logits.baseline != nullptr)
      value = 0;
  }
  if (logits.baseline != nullptr) logits.baseline->value(0) = new_baseline;
}

void maximise_shares(Parameter& logits, const CoinEvidence& evidence) {
  const std::vector<float> old = logits.values();
  const double largest = static_cast<double>(*std::max_element(old.begin(), old.end()));
  std::vector<double> share;
  for (const float x : old) share.push_back(std::exp(static_cast<double>(x) - largest));
  const double sum = std::accumulate(share.begin(), share.end(), 0.0);
  for (std::size_t i = 0; i < share.size(); ++i) {
    if (evidence.tosses[i] == 0) return;
    const double updated = share[i] / sum + evidence.gradient[i] / evidence.tosses[i];
    logits.value(static_cast<std::int64_t>(i)) =
        static_cast<float>(std::log(std::max(updated, std::exp(-largest_coin_logit))));
  }
}

}  // namespace ultr
