#include "training/training_step.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ultr {
namespace {

/// Shards of a process from which on it sends the gradients of the first half while it runs the
/// others. With fewer, one more message costs more than it hides.
constexpr double fewest_shards_in_two_parts = 4;

}  // namespace

TrainingStep::TrainingStep(const TrainableModel& model, Optimizer& optimizer,
                           const StepSettings& settings)
    : optimizer_(optimizer),
      settings_(settings),
      workers_(settings.threads),
      layout_(model.parameters()),
      divided_(divide_tables(model)),
      programs_(
          programs_for_workers(model, ProgramKind::training_loss, settings.threads, settings.mean)),
      dense_sum_(layout_.dense_size) {}

TrainingStep::BatchCounts TrainingStep::count(std::span<const Shard> batch) const {
  double units = 0;
  for (const Shard& shard : batch)
    units += settings_.mean == LossMean::documents ? shard.weighted_documents()
                                                   : shard.weighted_sessions();
  return {units, static_cast<double>(batch.size())};
}

void TrainingStep::begin(std::span<const Shard> batch) {
  if (!divided_ || begun_) return;
  if (!next_is_asked_) divided_->ask({batch, count(batch)});
  divided_->begin_fetch();
  begun_ = true;
}

TrainingStep::BatchCounts TrainingStep::finish_fetch() {
  divided_->finish_fetch();
  begun_ = false;
  const std::vector<double>& counts = divided_->counts();
  BatchCounts whole{};
  for (std::size_t r = 0; 2 * r < counts.size(); ++r) {
    whole[0] += counts[2 * r];
    if (r < static_cast<std::size_t>(divided_->processes().process()))
      whole[1] += counts[2 * r + 1];
  }
  return whole;
}

bool TrainingStep::sends_in_two_parts() const {
  double most = 0;  // shards of any process, so that all decide alike
  for (std::size_t i = 1; i < divided_->counts().size(); i += 2)
    most = std::max(most, divided_->counts()[i]);
  return most >= fewest_shards_in_two_parts;
}

void TrainingStep::run_shard(std::size_t worker, const Shard& shard, std::size_t number,
                             const NoiseKey& noise, double seed, const Shard* next,
                             std::size_t owners) {
  ShardGradients& result = gradients_[number];
  ClickProgram& program = divided_ ? programs_[worker].run(shard, noise, divided_->rows(number))
                                   : programs_[worker].run(shard, noise, {}, next);
  result.loss = program.loss();
  program.backward(seed);
  result.take(program.tape(), layout_);
  if (divided_) return;
  if (owners > 1) {
    result.deal(static_cast<std::uint32_t>(owners));
    return;
  }
  for (const RowGradients& entry : result.used_tables())
    entry.table->add_gradients(entry.rows, entry.values.data(), {});
}

void TrainingStep::run_shards(std::span<const Shard> batch, NumberRange part,
                              std::optional<std::span<const Shard>> next, const NoiseKey& noise,
                              double seed, std::size_t workers) {
  const std::size_t shards = batch.size();
  workers_(workers, part.size(), [&](std::size_t worker, std::size_t place) {
    if (divided_ && worker == 0) divided_->processes().go_on();
    const std::size_t s = part.first + place;
    // The shard that this worker will probably run next.
    const std::size_t first = s % workers;
    const Shard* following = s + workers < shards           ? &batch[s + workers]
                             : next && first < next->size() ? &(*next)[first]
                                                            : nullptr;
    NoiseKey of_shard = noise;
    of_shard.shard += static_cast<std::uint32_t>(s);
    run_shard(worker, batch[s], s, of_shard, seed, following, workers);
  });
  for (std::size_t s = part.first; s < part.last; ++s) {
    const auto entries = gradients_[s].used_tables();
    entries_.insert(entries_.end(), entries.begin(), entries.end());
  }
}

double TrainingStep::sum_shards(std::size_t shards, std::optional<std::span<const Shard>> next) {
  std::fill(dense_sum_.begin(), dense_sum_.end(), 0.0f);
  if (divided_) return sum_of_all_processes(shards, next);
  summed_ = entries_;
  double loss = 0;
  for (std::size_t s = 0; s < shards; ++s) {
    loss += gradients_[s].loss;
    for (std::size_t i = 0; i < dense_sum_.size(); ++i) dense_sum_[i] += gradients_[s].dense[i];
  }
  return loss;
}

double TrainingStep::sum_of_all_processes(std::size_t shards,
                                          std::optional<std::span<const Shard>> next) {
  // Send the numbers of each shard, not partial sums: only summing all shards in order gives
  // identical bits.
  sent_.clear();
  for (std::size_t s = 0; s < shards; ++s) gradients_[s].write_dense(sent_);
  next_is_asked_ = next.has_value();
  const BatchCounts counts = count(next.value_or(std::span<const Shard>()));
  const DividedTables::Batch next_batch{next.value_or(std::span<const Shard>()), counts};
  const auto received = divided_->send_gradients(std::span(entries_).subspan(sent_entries_), sent_,
                                                 next ? &next_batch : nullptr);
  summed_.assign(received.begin(), received.end());
  double loss = 0;
  dense_.resize(dense_sum_.size());
  read_dense(divided_->sent_to_all(), dense_, [&](double of_shard) {
    loss += of_shard;
    for (std::size_t i = 0; i < dense_.size(); ++i) dense_sum_[i] += dense_[i];
  });
  return loss;
}

double TrainingStep::clipping_factor() const {
  if (settings_.clip_norm <= 0) return 1;
  double square = 0;
  for (const float g : dense_sum_) square += static_cast<double>(g) * static_cast<double>(g);
  if (divided_) {
    const std::vector<double> own = divided_->gradient_squares(entries_);
    for (const double one : gather_all(divided_->processes(), std::span(own))) square += one;
  } else {
    for (const RowGradientsView& entry : entries_)
      square += entry.table->gradient_square(entry.rows, entry.values.data());
  }
  const double norm = std::sqrt(square);
  return norm > settings_.clip_norm ? settings_.clip_norm / norm : 1;
}

template <class Visit>
void TrainingStep::for_each_dealt(Visit visit) const {
  for (std::size_t s = 0; s < shards_; ++s)
    for (std::size_t e = 0; e < gradients_[s].tables_used; ++e) visit(gradients_[s].dealt[e]);
}

void TrainingStep::sum_tables(RowOwner owner) {
  if (divided_)
    for (const RowGradientsView& entry : summed_)
      entry.table->add_gradients(entry.rows, entry.values.data(), owner);
  else if (owner.workers > 1)  // with one owner, run_shard has summed them
    for_each_dealt([&](const DealtGradients& dealt) {
      dealt.table().add_gradients(dealt.rows(owner.worker), dealt.values(owner.worker), {});
    });
}

void TrainingStep::update_tables(float scale, RowOwner owner) {
  if (!settings_.lazy) {
    for (EmbeddingTable* table : layout_.tables) optimizer_.update_all_rows(*table, scale, owner);
  } else if (divided_ || owner.workers == 1) {
    for (const RowGradientsView& entry : summed_)
      optimizer_.update_rows(*entry.table, entry.rows, scale, owner);
  } else {
    for_each_dealt([&](const DealtGradients& dealt) {
      optimizer_.update_rows(dealt.table(), dealt.rows(owner.worker), scale, {});
    });
  }
}

void TrainingStep::pack(std::span<const SessionSelection> parts, std::vector<Shard>& batch) {
  std::size_t shards = 0;
  for (const SessionSelection& part : parts) shards += shards_of(part.places.size());
  batch.resize(shards);
  workers_(workers_.count(), shards, [&](std::size_t worker, std::size_t number) {
    if (divided_ && worker == 0) divided_->processes().go_on();
    const SessionSelection* part = parts.data();
    std::size_t before = 0;  // shards of the parts before this one
    for (; number >= before + shards_of(part->places.size()); ++part)
      before += shards_of(part->places.size());
    const std::size_t begin = (number - before) * shard_sessions;
    const std::size_t count = std::min(shard_sessions, part->places.size() - begin);
    batch[number].pack(part->sessions, part->places.subspan(begin, count));
  });
}

BatchLoss TrainingStep::operator()(std::span<const Shard> batch, double learning_rate,
                                   std::optional<std::span<const Shard>> next) {
  const std::size_t shards = batch.size();
  begin(batch);
  const auto [units, shards_before] =
      divided_ ? finish_fetch() : BatchCounts{count(batch).front(), 0.0};
  const std::size_t workers = workers_.count();
  if (gradients_.size() < shards) gradients_.resize(shards);
  shards_ = shards;
  const NoiseKey noise{.seed = settings_.seed,
                       .step = static_cast<std::uint32_t>(optimizer_.steps()),
                       .shard = static_cast<std::uint32_t>(shards_before)};
  entries_.clear();
  sent_entries_ = 0;
  std::size_t done = 0;
  if (divided_ && sends_in_two_parts()) {
    done = shards / 2;
    run_shards(batch, {0, done}, next, noise, 1 / units, workers);
    divided_->begin_gradients(entries_);
    sent_entries_ = entries_.size();
  }
  run_shards(batch, {done, shards}, next, noise, 1 / units, workers);

  const BatchLoss loss{.sum = sum_shards(shards, next), .units = units};
  if (!std::isfinite(loss.sum))
    throw Diverged(
        "the training loss is not finite; a smaller optimizer.lr or optimizer.clip_norm may "
        "help");

  optimizer_.begin_step(learning_rate);
  const auto owner = [&](std::size_t part) {
    return RowOwner{static_cast<std::uint32_t>(part), static_cast<std::uint32_t>(workers)};
  };
  float scale = 1;
  if (settings_.clip_norm > 0) {
    workers_(workers, workers, [&](std::size_t, std::size_t part) { sum_tables(owner(part)); });
    scale = static_cast<float>(clipping_factor());
    workers_(workers, workers,
             [&](std::size_t, std::size_t part) { update_tables(scale, owner(part)); });
  } else {
    workers_(workers, workers, [&](std::size_t, std::size_t part) {
      sum_tables(owner(part));
      update_tables(scale, owner(part));
    });
  }
  for (const ParameterLayout::Dense& dense : layout_.dense)
    optimizer_.update(*dense.parameter, std::span(dense_sum_).subspan(dense.offset, dense.size),
                      scale);
  return loss;
}

}  // namespace ultr
