#pragma once

#include <memory>
#include <vector>

#include "dsl/click_model.h"

/// The values of a story that is written in Python. They are handles into a program that is being
/// recorded, so that each knows its recording and is refused once that has ended.
namespace ultr::python {

/// One call of a story.
struct Recording {
  bool open = true;
};
using RecordingHandle = std::shared_ptr<Recording>;

/// The session that a story gets.
struct StorySession {
  const Session* session = nullptr;
  RecordingHandle recording;

  /// Throws Error if the recording has ended.
  const Session& get() const;
};

struct StoryProb {
  Prob prob;
  RecordingHandle recording;

  /// Throws Error if the recording has ended, or is another than `with`, unless that is null.
  const Prob& get(const RecordingHandle& with = nullptr) const;
};

struct StoryLogit {
  Logit logit;
  RecordingHandle recording;
};

/// The results of stories.
struct StoryExamination {
  StoryProb examination, attraction;
};
struct StoryCascade {
  StoryProb attraction, after_click, after_skip;
};
struct StoryMove {
  std::size_t to;
  StoryProb probability;
};
struct StoryState {
  StoryProb examination, attraction;
  std::vector<StoryMove> after_click, after_skip;
};
struct StoryChain {
  std::vector<StoryState> states;
  std::vector<StoryMove> start;
};

/// Convert what a story has returned. Throw Error if a probability is of another recording, or a
/// chain has no states or a move to one that it does not have.
Examination to_cpp(const StoryExamination& told, const RecordingHandle& recording);
Cascade to_cpp(const StoryCascade& told, const RecordingHandle& recording);
Chain to_cpp(const StoryChain& told, const RecordingHandle& recording);

}  // namespace ultr::python
