#include "training/log_pass.h"

#include <algorithm>
#include <type_traits>

namespace ultr {
namespace {

/// Prefetch distance, in rows, when the gradients of a table are summed.
constexpr std::size_t numbers_prefetched = 64;

}  // namespace

LogPass::LogPass(const TrainableModel& model, ProgramKind kind, const SessionLog& log, int threads)
    : log_(log),
      workers_(threads),
      layout_(model.parameters()),
      parameters_(model.parameters()),
      programs_(programs_for_workers(model, kind, threads)),
      shards_(log, static_cast<std::size_t>(threads)) {
  // A few shards per worker: enough to keep all busy, few enough to stay in the cache.
  wave_.resize(static_cast<std::size_t>(threads) * 4);
  gradients_.resize(parameters_.size());
}

std::size_t LogPass::number_of(const Parameter* parameter) const {
  const auto found = std::find(parameters_.begin(), parameters_.end(), parameter);
  return static_cast<std::size_t>(found - parameters_.begin());
}

void LogPass::add_rows(EmbeddingTable& table, std::span<const std::uint32_t> rows,
                       const float* values) {
  double* const sum = gradients_[number_of(&table)].data();
  const std::uint32_t* const numbers = rows.data();
  const std::size_t count = rows.size();
  const auto add_all = [=](auto columns) {
    for (std::size_t i = 0; i < count; ++i) {
      if (i + numbers_prefetched < count)
        __builtin_prefetch(sum + numbers[i + numbers_prefetched] * columns, 1);
      for (std::size_t c = 0; c < columns; ++c)
        sum[numbers[i] * columns + c] += static_cast<double>(values[i * columns + c]);
    }
  };
  if (table.columns() == 1)
    add_all(std::integral_constant<std::size_t, 1>{});
  else
    add_all(static_cast<std::size_t>(table.columns()));
}

void LogPass::add_tables(std::size_t shards, RowOwner owner) {
  for (std::size_t s = 0; s < shards; ++s) {
    const ShardGradients& shard = wave_[s];
    for (std::size_t e = 0; e < shard.tables_used; ++e)
      if (const RowGradients& all = shard.tables[e]; owner.workers == 1) {
        add_rows(*all.table, all.rows, all.values.data());
      } else {
        const DealtGradients& dealt = shard.dealt[e];
        add_rows(dealt.table(), dealt.rows(owner.worker), dealt.values(owner.worker));
      }
  }
}

void LogPass::run_shard(std::size_t worker, std::size_t number, std::size_t place,
                        std::size_t owners) {
  // The shard that this worker will probably run next, perhaps in the next wave.
  const Shard* const next = shards_.kept(number + owners);
  ClickProgram& program = programs_[worker].run(shards_.shard(number, worker), {}, {}, next);
  wave_[place].loss = program.loss();
  program.backward(-1);
  wave_[place].take(program.tape(), layout_);
  if (owners > 1) wave_[place].deal(static_cast<std::uint32_t>(owners));
}

double LogPass::operator()(const std::function<void(std::size_t)>& progress) {
  double value = 0;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    gradients_[i].assign(
        static_cast<std::size_t>(parameters_[i]->rows() * parameters_[i]->columns()), 0.0);

  const std::size_t shards = shards_.count();
  shards_.begin_pass();
  for (std::size_t begin = 0; begin < shards; begin += wave_.size()) {
    const std::size_t count = std::min(wave_.size(), shards - begin);
    const std::size_t workers = workers_.count();
    workers_(workers, count, [&](std::size_t worker, std::size_t place) {
      run_shard(worker, begin + place, place, workers);
    });
    for (std::size_t s = 0; s < count; ++s) {
      value -= wave_[s].loss;
      for (const ParameterLayout::Dense& dense : layout_.dense) {
        std::vector<double>& sum = gradients_[number_of(dense.parameter)];
        for (std::size_t i = 0; i < dense.size; ++i)
          sum[i] += static_cast<double>(wave_[s].dense[dense.offset + i]);
      }
    }
    workers_(workers, workers, [&](std::size_t, std::size_t part) {
      add_tables(count, {static_cast<std::uint32_t>(part), static_cast<std::uint32_t>(workers)});
    });
    if (progress) progress(std::min((begin + count) * shard_sessions, log_.sessions()));
  }
  log_.release();
  return value;
}

}  // namespace ultr
