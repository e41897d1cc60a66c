#include "models/model_fixture.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "autograd/random.h"
#include "options/config_tree.h"
#include "options/read.h"

namespace ultr::testing {

TrainableModel build_model(const std::string& type, const ModelSetting& setting,
                           const std::string& options) {
  const Choice choice(model_option_types(), type);
  configure(*choice.options, options);
  return choice.as<ModelOptions>().build(setting);
}

TrainableModel build_model(const ModelType& type, const ModelSetting& setting) {
  return ModelOptions(type, model_option_types()).build(setting);
}

void configure(Options& options, const std::string& yaml) {
  read_options(parse_config(yaml, "test"), options);
}

Parameter& parameter_called(const TrainableModel& model, const std::string& name) {
  for (Parameter* parameter : model.parameters())
    if (parameter->name() == name) return *parameter;
  throw std::runtime_error("no parameter called " + name);
}

double probability_of(const TrainableModel& model, const std::string& name, std::size_t entry) {
  double logit = 0;
  for (const Parameter* parameter : model.parameters()) {
    if (parameter->name() == name)
      logit += static_cast<double>(parameter->value(static_cast<std::int64_t>(entry)));
    if (parameter->name() == name + ".baseline") logit += static_cast<double>(parameter->value(0));
  }
  return 1 / (1 + std::exp(-logit));
}

void randomise(const TrainableModel& model, double low, double high, std::uint64_t seed) {
  std::uint32_t number = 0;
  for (Parameter* parameter : model.parameters()) {
    RandomStream random(seed, RandomPurpose::testing, number++, 0);
    for (std::int64_t row = 0; row < parameter->rows(); ++row)
      parameter->value(row) = static_cast<float>(low + (high - low) * random.uniform());
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
  return log;
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
    sum.assign(static_cast<std::size_t>(parameter->rows()), 0.0);
    for (const DenseGradient& dense : program.tape().dense_gradients())
      if (dense.parameter == &parameter->view())
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += at(dense.values, i);
    for (const SparseGradient& sparse : program.tape().sparse_gradients())
      if (sparse.parameter == &parameter->view())
        for (std::size_t i = 0; i < sparse.rows.size(); ++i)
          sum[sparse.rows[i]] += at(sparse.values, i);
  }
  return gradients;
}

}  // namespace ultr::testing
