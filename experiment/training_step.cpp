#include "experiment/training_step.h"

#include <algorithm>
#include <cmath>

#include "autograd/error.h"
#include "experiment/parallel_shards.h"

namespace ultr {

TrainingStep::TrainingStep(const TrainableModel& model, Optimizer& optimizer,
                           const StepSettings& settings)
    : optimizer_(optimizer),
      settings_(settings),
      layout_(model.parameters()),
      programs_(
          programs_for_workers(model, ProgramKind::training_loss, settings.threads, settings.mean)),
      dense_sum_(layout_.dense_size) {}

void TrainingStep::run_shard(std::size_t worker, const Shard& shard, const NoiseKey& noise,
                             double seed, ShardGradients& result) {
  ClickProgram& program = programs_[worker].run(shard, noise);
  result.loss = program.loss();
  program.backward(seed);
  result.take(program.tape(), layout_);
  if (settings_.threads > 1) return;
  for (std::size_t e = 0; e < result.tables_used; ++e) {
    const ShardGradients::Table& entry = result.tables[e];
    entry.table->add_gradients(entry.rows, entry.values.data(), {});
  }
}

double TrainingStep::clipping_factor(std::size_t shards) const {
  if (settings_.clip_norm <= 0) return 1;
  double square = 0;
  for (const float g : dense_sum_) square += static_cast<double>(g) * static_cast<double>(g);
  for (std::size_t s = 0; s < shards; ++s)
    for (std::size_t e = 0; e < gradients_[s].tables_used; ++e) {
      const ShardGradients::Table& entry = gradients_[s].tables[e];
      square += entry.table->gradient_square(entry.rows, entry.values.data());
    }
  const double norm = std::sqrt(square);
  return norm > settings_.clip_norm ? settings_.clip_norm / norm : 1;
}

void TrainingStep::update_tables(std::size_t shards, float scale, RowOwner owner) {
  if (!settings_.lazy) {
    for (EmbeddingTable* table : layout_.tables) optimizer_.update_all_rows(*table, scale, owner);
    return;
  }
  for (std::size_t s = 0; s < shards; ++s)
    for (std::size_t e = 0; e < gradients_[s].tables_used; ++e) {
      const ShardGradients::Table& entry = gradients_[s].tables[e];
      optimizer_.update_rows(*entry.table, entry.rows, scale, owner);
    }
}

void TrainingStep::pack(const SessionLog& log, std::span<const std::uint32_t> sessions,
                        std::vector<Shard>& batch) const {
  batch.resize((sessions.size() + shard_sessions - 1) / shard_sessions);
  for_each_worker(settings_.threads, [&](std::size_t worker) {
    for (std::size_t s = worker; s < batch.size();
         s += static_cast<std::size_t>(settings_.threads)) {
      const std::size_t begin = s * shard_sessions;
      batch[s].pack(log,
                    sessions.subspan(begin, std::min(shard_sessions, sessions.size() - begin)));
    }
  });
}

BatchLoss TrainingStep::operator()(std::span<const Shard> batch, double learning_rate) {
  const std::size_t shards = batch.size();
  BatchLoss loss;
  for (const Shard& shard : batch)
    loss.units += static_cast<double>(settings_.mean == LossMean::documents ? shard.documents()
                                                                            : shard.sessions());
  const double seed = 1 / loss.units;
  if (gradients_.size() < shards) gradients_.resize(shards);

  const auto workers = static_cast<std::uint32_t>(settings_.threads);
  const auto step = static_cast<std::uint32_t>(optimizer_.steps());
  for_each_worker(settings_.threads, [&](std::size_t worker) {
    for (std::size_t s = worker; s < shards; s += workers)
      run_shard(worker, batch[s],
                {.seed = settings_.seed, .step = step, .shard = static_cast<std::uint32_t>(s)},
                seed, gradients_[s]);
  });

  std::fill(dense_sum_.begin(), dense_sum_.end(), 0.0f);
  for (std::size_t s = 0; s < shards; ++s) {
    loss.sum += gradients_[s].loss;
    for (std::size_t i = 0; i < dense_sum_.size(); ++i) dense_sum_[i] += gradients_[s].dense[i];
  }

  if (!std::isfinite(loss.sum))
    throw Error(
        "the training loss is not finite; a smaller optimizer.lr or optimizer.clip_norm may "
        "help");

  optimizer_.begin_step(learning_rate);
  const auto owner = [&](std::size_t worker) {
    return RowOwner{static_cast<std::uint32_t>(worker), workers};
  };
  const auto sum_tables = [&](std::size_t worker) {
    if (workers == 1) return;  // summed shard by shard already
    for (std::size_t s = 0; s < shards; ++s)
      for (std::size_t e = 0; e < gradients_[s].tables_used; ++e) {
        const ShardGradients::Table& entry = gradients_[s].tables[e];
        entry.table->add_gradients(entry.rows, entry.values.data(), owner(worker));
      }
  };
  float scale = 1;
  if (settings_.clip_norm > 0) {
    for_each_worker(settings_.threads, sum_tables);
    scale = static_cast<float>(clipping_factor(shards));
    for_each_worker(settings_.threads,
                    [&](std::size_t worker) { update_tables(shards, scale, owner(worker)); });
  } else {
    for_each_worker(settings_.threads, [&](std::size_t worker) {
      sum_tables(worker);
      update_tables(shards, scale, owner(worker));
    });
  }
  for (const ParameterLayout::Dense& dense : layout_.dense)
    optimizer_.update(*dense.parameter, std::span(dense_sum_).subspan(dense.offset, dense.size),
                      scale);
  return loss;
}

}  // namespace ultr
