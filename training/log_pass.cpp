#include "training/log_pass.h"

#include <algorithm>
#include <type_traits>

#include "base/threads/number_range.h"
#include "data/log/parallel_shards.h"
#include "training/process_shards.h"

namespace ultr {
namespace {

/// Prefetch distance, in rows, when the gradients of a table are summed.
constexpr std::size_t numbers_prefetched = 64;
/// Shards that each of several processes runs between two exchanges of rows and gradients, however
/// many threads it has.
constexpr std::size_t shards_between_messages = 32;

}  // namespace

LogPass::LogPass(const TrainableModel& model, ProgramKind kind, const SessionLog& log, int threads)
    : log_(log),
      workers_(threads),
      layout_(model.parameters()),
      parameters_(model.parameters()),
      programs_(programs_for_workers(model, kind, threads)),
      shards_(log, static_cast<std::size_t>(threads)),
      divided_(divide_tables(model)) {
  // A few shards per worker: enough to keep all busy, few enough to stay in the cache.
  wave_.resize(static_cast<std::size_t>(threads) * 4);
  gradients_.resize(parameters_.size());
}

std::size_t LogPass::number_of(const Parameter* parameter) const {
  const auto found = std::find(parameters_.begin(), parameters_.end(), parameter);
  return static_cast<std::size_t>(found - parameters_.begin());
}

void LogPass::add_rows(EmbeddingTable& table, std::span<const std::uint32_t> rows,
                       const float* values, RowOwner owner) {
  if (rows.empty()) return;  // the table may belong to another stage of the model
  double* const sum = gradients_[number_of(&table)].data();
  const std::uint32_t* const numbers = rows.data();
  const std::size_t count = rows.size();
  const auto add_all = [=](auto columns, auto all_are_own) {
    for (std::size_t i = 0; i < count; ++i) {
      if (i + numbers_prefetched < count)
        __builtin_prefetch(sum + numbers[i + numbers_prefetched] * columns, 1);
      if (!all_are_own && !owner.owns(numbers[i])) continue;
      for (std::size_t c = 0; c < columns; ++c)
        sum[numbers[i] * columns + c] += static_cast<double>(values[i * columns + c]);
    }
  };
  const auto columns = static_cast<std::size_t>(table.columns());
  if (owner.workers > 1)
    add_all(columns, std::false_type{});
  else if (columns == 1)
    add_all(std::integral_constant<std::size_t, 1>{}, std::true_type{});
  else
    add_all(columns, std::true_type{});
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
  value_ = 0;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    gradients_[i].assign(
        static_cast<std::size_t>(parameters_[i]->rows() * parameters_[i]->columns()), 0.0);
  if (divided_)
    run_with_others(progress);
  else
    run_alone(progress);
  log_.release();
  return value_;
}

void LogPass::add_dense(double loss, std::span<const float> dense) {
  value_ -= loss;
  for (const ParameterLayout::Dense& of : layout_.dense) {
    std::vector<double>& sum = gradients_[number_of(of.parameter)];
    for (std::size_t i = 0; i < of.size; ++i) sum[i] += static_cast<double>(dense[of.offset + i]);
  }
}

void LogPass::run_alone(const std::function<void(std::size_t)>& progress) {
  const std::size_t shards = shards_.count();
  shards_.begin_pass();
  for (std::size_t begin = 0; begin < shards; begin += wave_.size()) {
    const std::size_t count = std::min(wave_.size(), shards - begin);
    const std::size_t workers = workers_.count();
    workers_(workers, count, [&](std::size_t worker, std::size_t place) {
      run_shard(worker, begin + place, place, workers);
    });
    for (std::size_t s = 0; s < count; ++s) add_dense(wave_[s].loss, wave_[s].dense);
    workers_(workers, workers, [&](std::size_t, std::size_t part) {
      add_tables(count, {static_cast<std::uint32_t>(part), static_cast<std::uint32_t>(workers)});
    });
    if (progress) progress(std::min((begin + count) * shard_sessions, log_.sessions()));
  }
}

void LogPass::pack(std::size_t first, std::size_t count, std::vector<Shard>& batch) {
  const NumberRange own = part_of_process(&divided_->processes(), count);
  batch.resize(own.size());
  workers_(workers_.count(), own.size(), [&](std::size_t, std::size_t place) {
    pack_shard(log_, first + own.first + place, batch[place]);
  });
  for (std::size_t number = first; number < first + count; ++number)
    release_shards_before(log_, number);
}

void LogPass::run_with_others(const std::function<void(std::size_t)>& progress) {
  const std::size_t shards = shards_.count();
  const std::size_t at_once =
      static_cast<std::size_t>(divided_->processes().size()) * shards_between_messages;
  wave_.resize(shards_between_messages);
  pack(0, std::min(at_once, shards), batch_);
  divided_->ask({batch_});
  for (std::size_t begin = 0; begin < shards; begin += at_once) {
    const std::size_t end = std::min(begin + at_once, shards);
    divided_->begin_fetch();
    pack(end, std::min(at_once, shards - end), next_batch_);
    run_batch(end < shards);
    std::swap(batch_, next_batch_);
    if (progress) progress(std::min(end * shard_sessions, log_.sessions()));
  }
}

void LogPass::run_part(NumberRange part) {
  workers_(workers_.count(), part.size(), [&](std::size_t worker, std::size_t item) {
    if (worker == 0) divided_->processes().go_on();
    const std::size_t place = part.first + item;
    ClickProgram& program = programs_[worker].run(batch_[place], {}, divided_->rows(place));
    wave_[place].loss = program.loss();
    program.backward(-1);
    wave_[place].take(program.tape(), layout_);
  });
  entries_.clear();
  for (std::size_t place = part.first; place < part.last; ++place) {
    const auto entries = wave_[place].used_tables();
    entries_.insert(entries_.end(), entries.begin(), entries.end());
    wave_[place].write_dense(sent_);
  }
}

void LogPass::run_batch(bool has_next) {
  divided_->finish_fetch();
  sent_.clear();
  const std::size_t half = batch_.size() / 2;
  run_part({0, half});
  divided_->begin_gradients(entries_);
  run_part({half, batch_.size()});
  const DividedTables::Batch next{next_batch_};
  const std::span<const RowGradientsView> incoming =
      divided_->send_gradients(entries_, sent_, has_next ? &next : nullptr);
  const std::size_t workers = workers_.count();
  workers_(workers, workers, [&](std::size_t, std::size_t part) {
    for (const RowGradientsView& all : incoming)
      add_rows(*all.table, all.rows, all.values.data(),
               {static_cast<std::uint32_t>(part), static_cast<std::uint32_t>(workers)});
  });
  dense_.resize(layout_.dense_size);
  read_dense(divided_->sent_to_all(), dense_, [&](double loss) { add_dense(loss, dense_); });
}

}  // namespace ultr
