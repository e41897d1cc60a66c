#include "dsl/programs/click_program.h"

#include <algorithm>
#include <bit>

#include <fmt/core.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/logspace.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/segments.h"
#include "autograd/ops/slice.h"
#include "base/available_memory.h"
#include "base/error.h"
#include "dsl/programs/coin_tosses.h"
#include "dsl/programs/number_packs.h"
#include "kernels/vector_math.h"
#include "layers/sequence_encoder.h"

namespace ultr {
namespace {

/// True if the program's output is a sum to differentiate.
bool is_loss(ProgramKind kind) { return kind <= ProgramKind::complete_tosses; }

/// Returns the numbers that a program of a kind computes for an event.
EventOutput output_of(ProgramKind kind, ProgramKind event) {
  if (event == kind) return {};
  const bool all = kind == ProgramKind::predictions;
  return {
      .p = all && event != ProgramKind::unconditional,
      .complement = false,
      .likelihood = event != ProgramKind::examination && (all || kind == ProgramKind::likelihoods)};
}

/// Returns one number per document, repeating a model's single number for all documents.
Tensor per_document(Tensor x, const Session& session) {
  return x.shape().single() ? repeat(x, session.inputs().documents()) : x;
}

/// Returns log p.
std::vector<double> logs_of(std::span<const double> p, std::span<const double> complement) {
  std::vector<double> logs(p.size());
  for_each_pack<double>(p.size(), [&](std::size_t i, auto... count) {
    ultr::log(exact_p(Pack<double>::load(p.data() + i, count...),
                      Pack<double>::load(complement.data() + i, count...)))
        .store(logs.data() + i, count...);
  });
  return logs;
}

/// Returns the values of a tensor after a run, in place. T is the type of the tape's numbers.
template <class T>
std::span<const T> values_of(const Tensor& x) {
  return {reinterpret_cast<const T*>(x.tape().node(x.node()).value),
          static_cast<std::size_t>(x.size())};
}

/// Calls visit(values...) with the values of tensors of one tape.
template <class Visit, class... Tensors>
void visit_values(Visit visit, const Tensors&... tensors) {
  if (common_tape("visit_values", std::array{tensors...}).precision() == Precision::float32)
    visit(values_of<float>(tensors)...);
  else
    visit(values_of<double>(tensors)...);
}

/// Returns Σ over sessions of log P(clicks). Where clicks are independent of each other, it sums
/// over documents directly, which is cheaper.
Tensor summed_log_likelihood(const ClickModel& model, const Session& session, Impossible rule) {
  const Chain chain = model.chain(session);
  if (const auto click = memoryless_click(chain))
    return session.inputs().sum_over_documents(
        per_document(where(session.inputs().clicked(), *click, !*click).log(), session));
  return session.inputs().sum_over_sessions(chain_log_likelihood(chain, session, rule));
}

/// Returns Σ over sessions of their sums over documents, or of their means over documents.
Tensor summed(Tensor session_sums, const Session& session, LossMean mean) {
  ShardInputs& inputs = session.inputs();
  if (mean == LossMean::documents) return inputs.sum_over_sessions(session_sums);
  // Sessions whose list ends at rank k are contiguous, so one length serves them all.
  const Tensor sums = inputs.weighted(session_sums);
  Tensor total = session.tape().constant(0);
  for (std::size_t k = 0; k < inputs.longest(); ++k)
    total = total + sum(slice(sums, inputs.ending_sessions(k))) / static_cast<double>(k + 1);
  return total;
}

/// Returns Σ over documents of the training objective, or Σ over sessions of the mean over their
/// documents.
Tensor summed_objective(const ClickModel& model, const Session& session, LossMean mean) {
  if (mean == LossMean::documents) {
    if (const auto objective = model.objective(session, Impossible::scored))
      return summed(*objective, session, mean);
    return summed_log_likelihood(model, session, Impossible::scored);
  }
  return summed(session_objective(model, session, Impossible::scored), session, mean);
}

/// Returns Σ c x over the scores x of a model's layers that are FeatureScorers, in sums or means as
/// summed_objective. c is held constant.
Tensor summed_curvature(const TrainableModel& model, const Session& session, LossMean mean) {
  ListInputs& lists = session.inputs().lists();
  Tensor total = session.tape().constant(0);
  for (const TrainableModel::Layer& layer : model.layers()) {
    if (dynamic_cast<const FeatureScorer*>(layer.layer.get()) == nullptr) continue;
    const Tensor x = take(layer.layer->logits(session).values, lists.order());
    const auto stated = model.story().curvature(session, *layer.layer);
    const Tensor c = stated ? *stated : sigmoid(x) * sigmoid(-x);
    total = total + summed(segment_sum(stop_gradient(c) * x, lists.segments()), session, mean);
  }
  return total;
}

/// Returns summed_objective and what a model's layers learn beside it: the log-likelihoods of
/// masked words, by their weights.
Tensor summed_training_objective(const TrainableModel& model, const Session& session,
                                 LossMean mean) {
  Tensor total = summed_objective(model.story(), session, mean);
  for (const TrainableModel::Layer& layer : model.layers())
    if (const MaskedWordTask* const words = layer.layer->masked_words();
        words != nullptr && words->weight > 0)
      total =
          total + words->weight * summed(list_sums(*words->log_likelihood, session), session, mean);
  return total;
}

/// Returns the sum that a loss program maximises.
Tensor objective(ProgramKind kind, const TrainableModel& trained, const Session& session,
                 LossMean mean) {
  const ClickModel& model = trained.story();
  switch (kind) {
    case ProgramKind::curvature:
      return -summed_curvature(trained, session, mean);
    case ProgramKind::tosses:
      return tossed_logits(model, session);
    case ProgramKind::complete_loss:
      return complete_data(model, session).log_likelihood;
    case ProgramKind::complete_tosses:
      return complete_data(model, session).tossed_logits;
    case ProgramKind::exact_loss:
      return summed_log_likelihood(model, session, Impossible::exact);
    case ProgramKind::training_loss:
      return summed_training_objective(trained, session, mean);
    default:
      return summed_objective(model, session, mean);
  }
}

}  // namespace

ClickProgram::ClickProgram(const TrainableModel& model, ProgramKind kind, std::size_t longest,
                           Precision precision, LossMean mean, Weights weights,
                           std::shared_ptr<SequencePrograms> encoders)
    : kind_(kind),
      tape_(precision, is_loss(kind) ? Tape::Gradients::on : Tape::Gradients::off),
      inputs_(tape_, longest, static_cast<std::size_t>(model.setting().positions),
              model.setting().features,
              kind == ProgramKind::training_loss || kind == ProgramKind::curvature ? Noise::on
                                                                                   : Noise::off,
              std::move(encoders)),
      probabilities_(tape_) {
  if (weights == Weights::of_sessions) inputs_.weigh_sessions();
  const Session session(inputs_, probabilities_);
  if (is_loss(kind)) {
    loss_ = -objective(kind, model, session, mean);
    tape_.require(std::array{*loss_});
  } else {
    record_predictions(model.story(), session, static_cast<std::size_t>(model.setting().positions));
  }
  expect_memory(memory(), fmt::format("{}, lists of {} documents", model.type(), longest));
}

void ClickProgram::record_predictions(const ClickModel& story, const Session& session,
                                      std::size_t positions) {
  const auto add = [&](ProgramKind event, Prob p) {
    const EventOutput output = output_of(kind_, event);
    if (!output.has_any()) return;
    events_.push_back(
        {event, per_document(p.log(), session), per_document(p.log_complement(), session), {}});
    if (event != kind_ && output.p) events_.back().p = per_document(p.value(), session);
  };
  if (kind_ == ProgramKind::relevance) {
    add(kind_, story.relevance(session));
  } else {
    const Session assumed(inputs_, probabilities_, LastClick::assumed);
    const Chain chain = story.chain(assumed);
    const auto click = memoryless_click(chain);
    if (click && !assumed.last_click_was_used()) {
      // Clicks above change nothing: the conditional probability is the marginal one.
      add(ProgramKind::conditional, *click);
      add(ProgramKind::unconditional, *click);
      add(ProgramKind::examination, chain.states[0].examination);
    } else {
      if (const EventOutput output = output_of(kind_, ProgramKind::conditional); output.has_any())
        conditionals_.emplace(story.chain(session), session, output);
      if (kind_ != ProgramKind::conditional)
        marginals_.emplace(chain, assumed, positions, output_of(kind_, ProgramKind::unconditional),
                           output_of(kind_, ProgramKind::examination));
    }
  }
  std::vector<Tensor> required;
  for (const Event& event : events_) {
    required.insert(required.end(), {event.log_p, event.log_complement});
    if (event.p) required.push_back(*event.p);
  }
  const auto require = [&](const auto& pass) {
    if (pass) required.insert(required.end(), pass->inputs().begin(), pass->inputs().end());
  };
  require(conditionals_);
  require(marginals_);
  tape_.require(required);
}

std::size_t ClickProgram::memory() const {
  return tape_.memory() + (conditionals_ ? conditionals_->memory(inputs_.longest()) : 0) +
         (marginals_ ? marginals_->memory(inputs_.longest()) : 0);
}

const ClickProgram::Event* ClickProgram::find(ProgramKind event) const {
  const auto found = std::ranges::find(events_, event, &Event::kind);
  return found == events_.end() ? nullptr : &*found;
}

const EventProbabilities& ClickProgram::probabilities(ProgramKind event) const {
  if (kind_ == event || kind_ == ProgramKind::predictions || kind_ == ProgramKind::likelihoods) {
    if (event == ProgramKind::conditional && conditionals_) return conditionals_->click();
    if (event == ProgramKind::unconditional && marginals_) return marginals_->click();
    if (event == ProgramKind::examination && marginals_) return marginals_->examination();
  }
  throw Error("ClickProgram: an event that the program does not predict");
}

std::vector<double> ClickProgram::log_p() const {
  if (const Event* recorded = find(kind_)) return recorded->log_p.values();
  const EventProbabilities& event = probabilities(kind_);
  return logs_of(event.p, event.complement);
}

std::vector<double> ClickProgram::log_complement() const {
  if (const Event* recorded = find(kind_)) return recorded->log_complement.values();
  const EventProbabilities& event = probabilities(kind_);
  return logs_of(event.complement, event.p);
}

std::span<const double> ClickProgram::p(ProgramKind event, std::vector<double>& memory) const {
  if (event == kind_ || !output_of(kind_, event).p)
    throw Error("ClickProgram: p of an event for which the program does not compute it");
  const Event* recorded = find(event);
  if (recorded == nullptr) return probabilities(event).p;
  visit_values([&](auto values) { memory.assign(values.begin(), values.end()); }, *recorded->p);
  return memory;
}

Likelihoods ClickProgram::likelihoods(ProgramKind event, std::span<const std::uint8_t> happened,
                                      std::vector<double>& memory) const {
  if (const Event* recorded = find(event)) {
    memory.resize(happened.size());
    double* const chosen = memory.data();
    visit_values(
        [&](auto yes, auto no) {
          for (std::size_t i = 0; i < happened.size(); ++i) {
            const auto if_yes = yes[i], if_no = no[i];  // both are read, so that nothing branches
            chosen[i] = static_cast<double>(happened[i] != 0 ? if_yes : if_no);
          }
        },
        recorded->log_p, recorded->log_complement);
    return {.values = memory, .are_logarithms = true};
  }
  const EventProbabilities& computed = probabilities(event);
  if (!computed.output.likelihood) {
    computed.write_likelihoods(happened, memory);
    return {.values = memory, .are_logarithms = false};
  }
  return {.values = computed.likelihood, .are_logarithms = false};
}

void ClickProgram::run(const Shard& shard, const NoiseKey& key,
                       std::span<const std::uint32_t> table_rows) {
  inputs_.bind(shard, key, table_rows);
  tape_.replay();
  if (conditionals_) conditionals_->run(shard, tape_.precision());
  if (marginals_) marginals_->run(shard);
}

ClickProgram& ClickPrograms::run(const Shard& shard, const NoiseKey& key,
                                 std::span<const std::uint32_t> table_rows, const Shard* next) {
  // A story that does not depend on the list's length needs few programs: lengths are rounded up to
  // powers of two.
  const bool any_length = !model_.story().reads_down_the_list() &&
                          (kind_ == ProgramKind::loss || kind_ == ProgramKind::training_loss ||
                           kind_ == ProgramKind::curvature || kind_ == ProgramKind::relevance);
  const std::size_t length = any_length ? std::bit_ceil(shard.longest()) : shard.longest();
  const bool weighted = !shard.weights().empty() && is_loss(kind_);
  ByLength& programs = weighted ? weighted_by_length_ : by_length_;
  if (programs.size() <= length) programs.resize(length + 1);
  auto& program = programs[length];
  if (!program)
    program = std::make_unique<ClickProgram>(
        model_, kind_, length, precision_, mean_,
        weighted ? ClickProgram::Weights::of_sessions : ClickProgram::Weights::none, encoders_);
  if (next != nullptr) program->prefetch_rows(*next);
  program->run(shard, key, table_rows);
  return *program;
}

std::vector<ClickPrograms> programs_for_workers(const TrainableModel& model, ProgramKind kind,
                                                int workers, LossMean mean) {
  std::vector<ClickPrograms> programs;
  for (int worker = 0; worker < workers; ++worker)
    programs.emplace_back(model, kind, Precision::float32, mean);
  return programs;
}

}  // namespace ultr
