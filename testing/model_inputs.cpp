#include "testing/model_inputs.h"

#include <numeric>

#include "base/random.h"
#include "commands/built_in_registry.h"
#include "data/simulation/made_up_signals.h"

namespace ultr::testing {

TrainableModel build_model(const ModelType& type, const ModelSetting& setting) {
  const Registry registry = built_in_registry();
  return ModelOptions(type, registry.models()).build(setting);
}

void randomise(const TrainableModel& model, double low, double high, std::uint64_t seed) {
  std::uint32_t number = 0;
  for (Parameter* parameter : model.parameters()) {
    RandomStream random(seed, RandomPurpose::testing, number++, 0);
    for (std::int64_t row = 0; row < parameter->rows(); ++row)
      for (float& x : parameter->row(row))
        x = static_cast<float>(low + (high - low) * random.uniform());
  }
}

SessionLog all_click_vectors(const std::vector<std::uint32_t>& rows) {
  SessionLog log;
  const std::size_t length = rows.size();
  std::vector<std::uint16_t> positions(length);
  std::iota(positions.begin(), positions.end(), std::uint16_t{0});
  for (std::size_t vector = 0; vector < std::size_t{1} << length; ++vector) {
    std::vector<std::uint8_t> clicks(length);
    for (std::size_t k = 0; k < length; ++k) clicks[k] = vector >> k & 1;
    log.add({rows, positions, clicks});
  }
  return with_made_up_signals(log);
}

SessionLog uneven_lists(std::uint64_t seed) {
  SessionLog log;
  for (std::uint64_t i = 0; i < 40; ++i) {
    RandomStream random(seed, RandomPurpose::testing, 99, i);
    std::vector<std::uint32_t> list;
    std::vector<std::uint16_t> shown_at;
    std::vector<std::uint8_t> clicks;
    for (std::uint16_t position = 0; position < 6; ++position) {
      if (!list.empty() && random.uniform() < 0.4) continue;
      list.push_back(static_cast<std::uint32_t>(1 + random.below(8)));
      shown_at.push_back(position);
      clicks.push_back(random.uniform() < 0.3 ? 1 : 0);
    }
    log.add({list, shown_at, clicks});
  }
  return with_made_up_signals(log);
}

Shard pack_all(const SessionLog& log) {
  std::vector<std::uint32_t> all(log.sessions());
  std::iota(all.begin(), all.end(), 0u);
  Shard shard;
  shard.pack(log, all);
  return shard;
}

std::map<std::string, std::vector<double>> gradients_of(const TrainableModel& model,
                                                        const ClickProgram& program) {
  std::map<std::string, std::vector<double>> gradients;
  const bool single = program.tape().precision() == Precision::float32;
  const auto at = [&](const void* values, std::size_t i) {
    return single ? static_cast<double>(static_cast<const float*>(values)[i])
                  : static_cast<const double*>(values)[i];
  };
  for (const Parameter* parameter : model.parameters()) {
    std::vector<double>& sum = gradients[parameter->name()];
    const auto width = static_cast<std::size_t>(parameter->columns());
    sum.assign(static_cast<std::size_t>(parameter->rows()) * width, 0.0);
    for (const DenseGradient& dense : program.tape().dense_gradients())
      if (dense.parameter == &parameter->view())
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += at(dense.values, i);
    for (const SparseGradient& sparse : program.tape().sparse_gradients())
      if (sparse.parameter == &parameter->view())
        for (std::size_t i = 0; i < sparse.rows.size() * width; ++i)
          sum[sparse.rows[i / width] * width + i % width] += at(sparse.values, i);
  }
  return gradients;
}

}  // namespace ultr::testing
