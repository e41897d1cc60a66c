#include "bare_step.h"

#include "commands/built_in_registry.h"
#include "models/models.h"
#include "optim/adam.h"
#include "options/read.h"
#include "synthetic_sessions.h"

namespace ultr::bench {

TrainableModel plain_model(const std::string& type, std::int64_t rows, Communicator* processes) {
  ConfigNode config = parse_config("{}", "benchmark");
  const Registry registry = built_in_registry();
  const Choice choice(registry.models(), type);
  auto& options = choice.as<ModelOptions>();
  for (const std::string& parameter : options.document_parameters())
    override_config(config, parameter + ".baseline=false");
  read_options(config, options);
  return options.build({.rows = rows, .positions = list_length, .processes = processes});
}

BareStep::BareStep(const TrainableModel& model, std::span<const Shard> shards, std::int64_t batch,
                   int threads)
    : shards_(shards),
      shards_of_batch_(static_cast<std::size_t>(batch) / shard_sessions),
      optimizer_(AdamOptions().build()),
      step_(model, *optimizer_, {.threads = threads}) {
  optimizer_->attach(model.parameters());
}

std::span<const Shard> BareStep::next_batch() {
  if (next_ + shards_of_batch_ > shards_.size()) next_ = 0;
  return shards_.subspan(next_, shards_of_batch_);
}

BatchLoss BareStep::operator()() {
  const std::span<const Shard> batch = next_batch();
  next_ += shards_of_batch_;
  return step_(batch, learning_rate, next_batch());
}

}  // namespace ultr::bench
