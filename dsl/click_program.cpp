#include "dsl/click_program.h"

#include <bit>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/slice.h"
#include "base/error.h"
#include "dsl/coin_tosses.h"

namespace ultr {
namespace {

/// True if the program's output is a sum to differentiate.
bool is_loss(ProgramKind kind) { return kind <= ProgramKind::complete_tosses; }

/// Returns one number per document, repeating a model's single number for all documents.
Tensor per_document(Tensor x, const Session& session) {
  return x.shape().single() ? repeat(x, session.inputs().documents()) : x;
}

/// Returns Σ over sessions of log P(clicks). Where clicks are independent of each other, it sums
/// over documents directly, which is cheaper.
Tensor summed_log_likelihood(const ClickModel& model, const Session& session, Impossible rule) {
  const Chain chain = model.chain(session);
  if (const auto click = memoryless_click(chain))
    return sum(per_document(where(session.inputs().clicked(), *click, !*click).log(), session));
  return sum(chain_log_likelihood(chain, session, rule));
}

/// Returns Σ over documents of the training objective, or Σ over sessions of the mean over their
/// documents.
Tensor summed_objective(const ClickModel& model, const Session& session, LossMean mean) {
  if (mean == LossMean::documents) {
    if (const auto objective = model.objective(session, Impossible::scored)) return sum(*objective);
    return summed_log_likelihood(model, session, Impossible::scored);
  }
  // Sessions whose list ends at rank k are contiguous, so one length serves them all.
  const Tensor sums = session_objective(model, session, Impossible::scored);
  const ShardInputs& inputs = session.inputs();
  Tensor total = session.tape().constant(0);
  for (std::size_t k = 0; k < inputs.longest(); ++k)
    total = total + sum(slice(sums, inputs.ending_sessions(k))) / static_cast<double>(k + 1);
  return total;
}

/// Returns the sum that a loss program maximises.
Tensor objective(ProgramKind kind, const ClickModel& model, const Session& session, LossMean mean) {
  switch (kind) {
    case ProgramKind::tosses:
      return tossed_logits(model, session);
    case ProgramKind::complete_loss:
      return complete_data(model, session).log_likelihood;
    case ProgramKind::complete_tosses:
      return complete_data(model, session).tossed_logits;
    case ProgramKind::exact_loss:
      return summed_log_likelihood(model, session, Impossible::exact);
    default:
      return summed_objective(model, session, mean);
  }
}

}  // namespace

ClickProgram::ClickProgram(const TrainableModel& model, ProgramKind kind, std::size_t longest,
                           Precision precision, LossMean mean)
    : tape_(precision, is_loss(kind) ? Tape::Gradients::on : Tape::Gradients::off),
      inputs_(tape_, longest, static_cast<std::size_t>(model.setting().positions),
              model.setting().features,
              kind == ProgramKind::training_loss ? Noise::on : Noise::off),
      probabilities_(tape_) {
  const ClickModel& story = model.story();
  const Session session(inputs_, probabilities_);
  if (is_loss(kind)) {
    loss_ = -objective(kind, story, session, mean);
    tape_.require(std::array{*loss_});
    return;
  }
  std::vector<Tensor> required;
  const auto add = [&](ProgramKind event, Prob p) {
    events_.push_back(
        {event, per_document(p.log(), session), per_document(p.log_complement(), session)});
    required.insert(required.end(), {events_.back().log_p, events_.back().log_complement});
  };
  if (kind == ProgramKind::relevance) {
    add(kind, story.relevance(session));
  } else if (kind == ProgramKind::conditional) {
    add(kind, conditional_click(story, session));
  } else {
    const Session open(inputs_, probabilities_, Clicks::open);
    const Chain chain = story.chain(open);
    const Marginals of = chain_marginals(chain, open);
    const bool all = kind == ProgramKind::predictions;
    // If clicks above change nothing, the conditional probability is the marginal one.
    if (all)
      add(ProgramKind::conditional,
          memoryless_click(chain) ? of.click : conditional_click(story, session));
    if (all || kind == ProgramKind::unconditional) add(ProgramKind::unconditional, of.click);
    if (all || kind == ProgramKind::examination) add(ProgramKind::examination, of.examination);
  }
  tape_.require(required);
}

const ClickProgram::Event& ClickProgram::event_of(ProgramKind kind) const {
  for (const Event& event : events_)
    if (event.kind == kind) return event;
  throw Error("ClickProgram: an event that the program does not predict");
}

void ClickProgram::run(const Shard& shard, const NoiseKey& key,
                       std::span<const std::uint32_t> table_rows) {
  inputs_.bind(shard, key, table_rows);
  tape_.replay();
}

ClickProgram& ClickPrograms::run(const Shard& shard, const NoiseKey& key,
                                 std::span<const std::uint32_t> table_rows, const Shard* next) {
  // A story that does not depend on the list's length needs few programs: lengths are rounded up to
  // powers of two.
  const bool any_length = !model_.story().reads_down_the_list() &&
                          (kind_ == ProgramKind::loss || kind_ == ProgramKind::training_loss ||
                           kind_ == ProgramKind::relevance);
  const std::size_t length = any_length ? std::bit_ceil(shard.longest()) : shard.longest();
  if (by_length_.size() <= length) by_length_.resize(length + 1);
  auto& program = by_length_[length];
  if (!program) program = std::make_unique<ClickProgram>(model_, kind_, length, precision_, mean_);
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
