#include "dsl/programs/chain_numbers.h"

#include "dsl/programs/prob_values.h"

namespace ultr {

ChainNumbers::ChainNumbers(const Chain& chain, const Session& session,
                           std::optional<Index> assumed_pairs)
    : tape_(&session.tape()), assumed_pairs_(assumed_pairs) {
  for (const State& state : chain.states)
    states_.push_back({.examines = !state.examination.is_never(),
                       .examined = number(state.examination),
                       .not_examined = number(!state.examination),
                       .attracted = number(state.attraction),
                       .not_attracted = number(!state.attraction),
                       .after_click = ways(state.after_click),
                       .after_skip = ways(state.after_skip)});
  for (std::size_t s = 0; s < states_.size(); ++s)
    start_.push_back(number(starting(chain, s, session)));
}

ChainNumber ChainNumbers::number(Prob p) {
  if (p.is_always() || p.is_never()) return {.constant = p.is_always() ? 1.0 : 0.0};
  ChainNumber number{.tensor = p.value()};
  tensors_.push_back(*number.tensor);
  const ProbGraph::Node& node = p.graph().node(p.node());
  if (assumed_pairs_ && node.table && node.table->node == assumed_pairs_->node) {
    number.by_pair = value_by_entry(p);
    if (number.by_pair) tensors_.push_back(*number.by_pair);
  }
  return number;
}

std::vector<ChainWay> ChainNumbers::ways(const std::vector<Move>& moves) {
  std::vector<ChainWay> ways;
  for (const Move& move : moves)
    if (!move.probability.is_never()) ways.push_back({move.to, number(move.probability)});
  return ways;
}

void ChainNumbers::read(ChainNumber& number) const {
  if (!number.tensor) return;
  if (number.tensor->shape().single())
    number.constant = number.tensor->item();
  else
    number.values = tape_->node(number.tensor->node()).value;
  if (number.by_pair) number.pair_values = tape_->node(number.by_pair->node()).value;
}

void ChainNumbers::read() {
  for (ChainStateNumbers& state : states_) {
    for (ChainNumber* number :
         {&state.examined, &state.not_examined, &state.attracted, &state.not_attracted})
      read(*number);
    for (auto* ways : {&state.after_click, &state.after_skip})
      for (ChainWay& way : *ways) read(way.probability);
  }
  for (ChainNumber& number : start_) read(number);
}

}  // namespace ultr
