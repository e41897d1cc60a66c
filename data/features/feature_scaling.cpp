#include "data/features/feature_scaling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "base/error.h"
#include "base/files/npy.h"

namespace ultr {

void FeatureScalingOptions::fields(Fields& f) {
  f.number("sentinel", sentinel,
           "Numbers of at least this magnitude are missing values; they become the feature's "
           "largest or smallest other training value.",
           above(0));
  f.word("missing", missing,
         "Refuse missing values (nan, empty cells), or keep them, and sentinels as missing ones, "
         "for boosted_trees.",
         {"refuse", "keep"});
  f.boolean("log1p", log1p, "Replace x by sign(x) ln(1 + |x|).");
  f.boolean("standardise", standardise,
            "Scale features to mean 0 and standard deviation 1 over the training documents.");
}

FeatureScaling::FeatureScaling(const FeatureScalingOptions& options)
    : sentinel_(options.sentinel), keeps_missing_(options.keeps_missing()), log1p_(options.log1p) {}

FeatureScaling::FeatureScaling(const FeatureLists& train, const FeatureScalingOptions& options)
    : FeatureScaling(options) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::size_t n = train.features();
  const std::span<const float> values = train.columns().features.values();
  columns_.assign(n, {infinity, -infinity, 0, 1});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = values[i];
    if (!(std::abs(x) < sentinel_)) continue;
    Feature& feature = columns_[i % n];
    feature.low = std::min(feature.low, x);
    feature.high = std::max(feature.high, x);
  }
  for (Feature& feature : columns_)
    if (feature.low > feature.high) feature.low = feature.high = 0;
  if (!options.standardise || train.documents() == 0) return;

  // Two passes, since (mean square - squared mean) loses precision for features far from 0.
  std::vector<double> sums(n), squares(n), documents(n);
  const auto visit_present = [&](auto visit) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double x = before_standardising(values[i], columns_[i % n]);
      if (!std::isnan(x)) visit(i % n, x);
    }
  };
  visit_present([&](std::size_t j, double x) {
    sums[j] += x;
    documents[j] += 1;
  });
  for (std::size_t j = 0; j < n; ++j) columns_[j].mean = sums[j] / std::max(documents[j], 1.0);
  visit_present([&](std::size_t j, double x) {
    const double distance = x - columns_[j].mean;
    squares[j] += distance * distance;
  });
  for (std::size_t j = 0; j < n; ++j) {
    Feature& feature = columns_[j];
    const double deviation = std::sqrt(squares[j] / std::max(documents[j], 1.0));
    // The computed mean of equal numbers may have a rounding error.
    const bool constant = deviation <= 1e-12 * std::abs(feature.mean);
    feature.deviation = constant ? 1 : deviation;
  }
}

double FeatureScaling::before_standardising(double x, const Feature& feature) const {
  if (std::abs(x) >= sentinel_) {
    if (keeps_missing_) return std::numeric_limits<double>::quiet_NaN();
    x = x > 0 ? feature.high : feature.low;
  }
  return log1p_ ? std::copysign(std::log1p(std::abs(x)), x) : x;
}

double FeatureScaling::undo(float x, std::size_t feature) const {
  constexpr double all_whole = 9007199254740992;  // 2^53: doubles from here on have no fraction
  constexpr double last_exact = 1e22;             // the largest power of 10 that is a double
  const Feature& its = columns_[feature];
  const double before = x * its.deviation + its.mean;
  const double number = log1p_ ? std::copysign(std::expm1(std::abs(before)), before) : before;
  for (double power = 1; power <= last_exact && std::abs(number) * power < all_whole; power *= 10) {
    const double rounded = std::round(number * power) / power + 0.0;  // 0 instead of -0
    if (apply(static_cast<float>(rounded), feature) == x) return rounded;
  }
  return number;
}

void FeatureScaling::apply(std::span<float> rows) const {
  const std::size_t n = features();
  if (n == 0 ? !rows.empty() : rows.size() % n != 0)
    throw DataError(fmt::format("{} values do not fill rows of {} features", rows.size(), n));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = apply(rows[i], i % n);
}

FeatureLists FeatureScaling::apply(const FeatureLists& lists) const {
  if (lists.features() != features())
    throw DataError(fmt::format("{} features; expected {}, on which the scaling was fitted",
                                lists.features(), features()));
  return lists.with_features([&](std::span<float> rows) { apply(rows); });
}

void FeatureScaling::save(const std::filesystem::path& file) const {
  std::vector<double> values;
  for (const Feature& f : columns_)
    values.insert(values.end(), {f.low, f.high, f.mean, f.deviation});
  write_npy(file, values, 4);
}

FeatureScaling FeatureScaling::load(const std::filesystem::path& file,
                                    const FeatureScalingOptions& options) {
  const auto array = map_npy<double>(file);
  const std::span<const double> values = array.values.values();
  const auto finite = [](double x) { return std::isfinite(x); };
  if (array.columns != 4u || !std::all_of(values.begin(), values.end(), finite))
    throw DataError(file.string() +
                    ": is not a feature scaling; expected a matrix of 4 columns of finite numbers");
  FeatureScaling scaling(options);
  for (std::size_t i = 0; i < values.size(); i += 4)
    scaling.columns_.push_back({values[i], values[i + 1], values[i + 2], values[i + 3]});
  return scaling;
}

}  // namespace ultr
