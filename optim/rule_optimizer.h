#pragma once

#include <array>
#include <utility>

#include "kernels/pack.h"
#include "optim/optimizer.h"

namespace ultr {

/// An optimizer that applies one update rule to dense parameters and table rows alike. A rule is
///
///     struct Rule {
///       static constexpr int states = 2;
///       void begin_step(double learning_rate, std::int64_t step);   // from 1
///       void operator()(P& value, std::array<P, states>& state, P gradient, bool decays) const;
///     };
///
/// It is written once for packs of floats. Everything that begin_step sets must follow from its
/// arguments alone. Internal to optim/: one source file per rule includes this header.
template <class Rule>
class RuleOptimizer final : public Optimizer {
 public:
  explicit RuleOptimizer(Rule rule) : rule_(std::move(rule)) {}

  void begin_step(double learning_rate) override { rule_.begin_step(learning_rate, ++steps_); }
  std::int64_t steps() const override { return steps_; }
  void set_steps(std::int64_t steps) override { steps_ = steps; }

  void update(DenseParameter& parameter, std::span<const float> gradient,
              float scale) const override {
    const std::span<float> values = parameter.all_values();
    std::array<float*, Rule::states> states;
    for (int s = 0; s < Rule::states; ++s)
      states[static_cast<std::size_t>(s)] = parameter.state(s).data();
    apply(values.data(), states, gradient.data(), values.size(), scale, parameter.decays());
  }

  void update_rows(EmbeddingTable& table, std::span<const std::uint32_t> rows, float scale,
                   RowOwner owner) const override {
    if (owner.workers == 1)
      update_some(table, rows, scale, false);
    else
      update_each(table, rows.size(), scale, owner, false, [&](std::size_t i) { return rows[i]; });
  }

  void update_all_rows(EmbeddingTable& table, float scale, RowOwner owner) const override {
    update_each(table, static_cast<std::size_t>(table.rows()), scale, owner, true,
                [](std::size_t i) { return static_cast<std::uint32_t>(i); });
  }

 private:
  using P = Pack<float>;
  static constexpr std::size_t fields = Rule::states + 2;  // value, states, gradient
  /// Number of rows ahead to prefetch. The forward pass left them in the second-level cache.
  static constexpr std::size_t prefetch_distance = 32;
  static_assert(fields <= 4, "records of four floats have room for two states");

  int states() const override { return Rule::states; }

  /// Updates those of the rows row_at(0) ... row_at(count - 1) that `owner` owns.
  template <class RowAt>
  void update_each(EmbeddingTable& table, std::size_t count, float scale, RowOwner owner, bool all,
                   RowAt row_at) const {
    constexpr std::size_t most = 1024;
    std::array<std::uint32_t, most> own;
    std::size_t found = 0;
    const auto update_found = [&] {
      update_some(table, std::span(own).first(found), scale, all);
      found = 0;
    };
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t row = row_at(i);
      if (owner.workers > 1 && !owner.owns(row)) continue;
      own[found++] = row;
      if (found == most) update_found();
    }
    update_found();
  }

  void update_some(EmbeddingTable& table, std::span<const std::uint32_t> rows, float scale,
                   bool all) const {
    if (table.columns() == 1 && table.stride() == 4)
      update_records(table, rows, scale, all);
    else if (table.columns() == 1)
      update_scalars(table, rows, scale, all);
    else
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i + prefetch_distance < rows.size())
          __builtin_prefetch(table.record(rows[i + prefetch_distance]));
        update_wide(table, rows[i], scale, all);
      }
  }

  /// Calls update(group, ahead) for as many rows at a time as a pack has lanes; `ahead` are as many
  /// rows that come later. There is only one call site: code that is compiled twice may round
  /// differently, and results must not depend on which rows share a group.
  template <class Update>
  static void for_each_group(std::span<const std::uint32_t> rows, const Update& update) {
    std::array<std::uint32_t, P::size> last;
    for (std::size_t i = 0; i < rows.size(); i += P::size) {
      const std::uint32_t* group = rows.data() + i;
      const std::size_t left = rows.size() - i;
      if (left < P::size) {
        // A row may be in a group twice: all lanes are read before any is written, with the same
        // result.
        std::fill(std::copy_n(group, left, last.begin()), last.end(), *group);
        group = last.data();
      }
      update(group, left >= prefetch_distance + P::size ? group + prefetch_distance : group);
    }
  }

  /// Updates rows whose records are four floats.
  void update_records(EmbeddingTable& table, std::span<const std::uint32_t> rows, float scale,
                      bool all) const {
    // Copies, because the compiler cannot know that stores to records do not change the originals.
    const Rule rule = rule_;
    const bool decays = table.decays();
    float* const records = table.record(0);
    for_each_group(rows, [=](const std::uint32_t* group, const std::uint32_t* ahead) {
      for (std::size_t i = 0; i < P::size; ++i)
        __builtin_prefetch(records + std::size_t{4} * ahead[i]);
      const auto record_at = [=](std::size_t i) { return records + std::size_t{4} * group[i]; };
      std::array<P, 4> record = FourFloatRecords::load(record_at);
      update_packs(rule, record, scale, all, decays);
      FourFloatRecords::store(record, record_at);
    });
  }

  /// Updates scalar rows whose records are not four floats.
  void update_scalars(EmbeddingTable& table, std::span<const std::uint32_t> rows, float scale,
                      bool all) const {
    for_each_group(rows, [&](const std::uint32_t* group, const std::uint32_t* ahead) {
      std::array<P, 4> record;
      float lanes[fields][P::size];
      for (std::size_t i = 0; i < P::size; ++i) {
        __builtin_prefetch(table.record(ahead[i]));
        for (std::size_t f = 0; f < fields; ++f) lanes[f][i] = table.record(group[i])[f];
      }
      for (std::size_t f = 0; f < fields; ++f) record[f] = P::load(lanes[f]);
      update_packs(rule_, record, scale, all, table.decays());
      for (std::size_t f = 0; f < fields; ++f) record[f].store(lanes[f]);
      for (std::size_t i = 0; i < P::size; ++i)
        for (std::size_t f = 0; f < fields; ++f) table.record(group[i])[f] = lanes[f][i];
    });
  }

  /// Applies the rule elementwise to contiguous memory.
  void apply(float* values, const std::array<float*, Rule::states>& states, const float* gradients,
             std::size_t n, float scale, bool decays) const {
    const auto block = [&](std::size_t i, auto... lanes) {
      P value = P::load(values + i, lanes...);
      std::array<P, Rule::states> state;
      for (std::size_t s = 0; s < Rule::states; ++s) state[s] = P::load(states[s] + i, lanes...);
      rule_(value, state, P::load(gradients + i, lanes...) * P::broadcast(scale), decays);
      value.store(values + i, lanes...);
      for (std::size_t s = 0; s < Rule::states; ++s) state[s].store(states[s] + i, lanes...);
    };
    std::size_t i = 0;
    for (; i + P::size <= n; i += P::size) block(i);
    if (i < n) block(i, n - i);
  }

  static Lanes<float> idle(P gradient) {
    return {Bits<float>(gradient).vector == Bits<float>(P::repeat(EmbeddingTable::idle)).vector};
  }

  /// Applies the rule to records with one pack each for value, states and gradient. Packs after
  /// these stay unchanged. With `all`, idle rows are updated too, with gradient 0.
  static void update_packs(const Rule& rule, std::array<P, 4>& record, float scale, bool all,
                           bool decays) {
    P& gradient = record[fields - 1];
    const Lanes<float> skipped = idle(gradient);
    P value = record[0];
    std::array<P, Rule::states> state;
    for (std::size_t s = 0; s < Rule::states; ++s) state[s] = record[s + 1];
    rule(value, state, gradient * P::broadcast(scale), decays);
    const auto keep_skipped = [&](P& old, P updated) {
      old = all ? updated : where(skipped, old, updated);
    };
    keep_skipped(record[0], value);
    for (std::size_t s = 0; s < Rule::states; ++s) keep_skipped(record[s + 1], state[s]);
    gradient = P::repeat(EmbeddingTable::idle);
  }

  /// Updates one record of several columns. The row is idle if all of its gradients are.
  void update_wide(EmbeddingTable& table, std::uint32_t row, float scale, bool all) const {
    const auto width = static_cast<std::size_t>(table.columns());
    float* record = table.record(row);
    float* gradient = record + (fields - 1) * width;
    const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
    if (!all && std::all_of(gradient, gradient + width,
                            [&](float g) { return bits(g) == bits(EmbeddingTable::idle); }))
      return;
    std::array<float*, Rule::states> states;
    for (std::size_t s = 0; s < Rule::states; ++s) states[s] = record + (s + 1) * width;
    apply(record, states, gradient, width, scale, table.decays());
    std::fill_n(gradient, width, EmbeddingTable::idle);
  }

  Rule rule_;
  std::int64_t steps_ = 0;
};

}  // namespace ultr
