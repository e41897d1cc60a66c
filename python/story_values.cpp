#include "python/story_values.h"

#include <fmt/format.h>

#include "base/error.h"

namespace ultr::python {
namespace {

[[noreturn]] void fail() {
  throw ConfigError(
      "a probability or session is of another call of the story; expected those of this call "
      "alone");
}

std::vector<Move> to_cpp(const std::vector<StoryMove>& told, std::size_t states,
                         const RecordingHandle& recording) {
  std::vector<Move> moves;
  for (const StoryMove& move : told) {
    if (move.to >= states)
      throw ConfigError(
          fmt::format("a move leads to state {}; expected one of 0 to {}", move.to, states - 1));
    moves.push_back({move.to, move.probability.get(recording)});
  }
  return moves;
}

}  // namespace

const Session& StorySession::get() const {
  if (!recording->open) fail();
  return *session;
}

const Prob& StoryProb::get(const RecordingHandle& with) const {
  if (!recording->open || (with != nullptr && with != recording)) fail();
  return prob;
}

Examination to_cpp(const StoryExamination& told, const RecordingHandle& recording) {
  return {told.examination.get(recording), told.attraction.get(recording)};
}

Cascade to_cpp(const StoryCascade& told, const RecordingHandle& recording) {
  return {told.attraction.get(recording), told.after_click.get(recording),
          told.after_skip.get(recording)};
}

Chain to_cpp(const StoryChain& told, const RecordingHandle& recording) {
  const std::size_t states = told.states.size();
  if (states == 0) throw ConfigError("a chain has no states; expected one at least");
  Chain chain;
  for (const StoryState& state : told.states)
    chain.states.push_back({.examination = state.examination.get(recording),
                            .attraction = state.attraction.get(recording),
                            .after_click = to_cpp(state.after_click, states, recording),
                            .after_skip = to_cpp(state.after_skip, states, recording)});
  chain.start = to_cpp(told.start, states, recording);
  return chain;
}

}  // namespace ultr::python
