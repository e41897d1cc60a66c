#include "dsl/programs/sampler.h"

#include <algorithm>

#include <fmt/core.h>

#include "autograd/tape/partial_replay.h"
#include "base/available_memory.h"
#include "base/error.h"
#include "dsl/programs/same_coins.h"
#include "dsl/programs/story_coins.h"

namespace ultr {

const LatentVariable& SampledClicks::variable(const std::string& name) const {
  for (const LatentVariable& known : latent)
    if (known.name == name) return known;
  throw Error(fmt::format("there is no latent variable '{}'", name));
}

/// A story for lists of one length, recorded with all its coins as outputs.
class ClickSampler::Program {
 public:
  Program(const TrainableModel& model, std::size_t longest)
      : tape_(Precision::float64, Tape::Gradients::off),
        positions_(static_cast<std::size_t>(model.setting().positions)),
        inputs_(tape_, longest, positions_, model.setting().features),
        probabilities_(tape_),
        session_(inputs_, probabilities_, LastClick::assumed),
        chain_(model.story().chain(session_)),
        pairs_(session_.last_click_was_used() ? std::optional(inputs_.assumed_position_pairs())
                                              : std::nullopt),
        coins_(probabilities_, pairs_) {
    for (const State& state : chain_.states) {
      coins_.add_event(state.examination, StoryCoins::Group::looking);
      coins_.add_event(state.attraction, StoryCoins::Group::looking);
      coins_.add_moves(state.after_click);
      coins_.add_moves(state.after_skip);
    }
    coins_.add_draw(chain_.start);
    if (!chain_.start.empty()) component_ = coins_.add_name("component");
    std::vector<Tensor> outputs = coins_.inputs();
    if (!pairs_ && SameCoins::toss_in(chain_)) {
      same_coins_.emplace(chain_);
      outputs.insert(outputs.end(), same_coins_->inputs().begin(), same_coins_->inputs().end());
    }
    tape_.require(outputs);
    if (pairs_) wait_for_coins();
    expect_memory(tape_.memory(),
                  fmt::format("sampling {}, lists of {} documents", model.type(), longest));
  }

  void play(const Shard& shard, std::uint64_t seed, std::span<const std::uint64_t> numbers,
            std::vector<std::uint8_t>& clicks) {
    inputs_.bind(shard);
    tape_.replay();
    if (same_coins_) return same_coins_->play(shard, seed, numbers, clicks);
    SampledClicks result;
    result.clicks.swap(clicks);
    play_users(shard, seed, numbers, result);
    result.clicks.swap(clicks);
  }

  SampledClicks play(const Shard& shard, std::uint64_t seed,
                     std::span<const std::uint64_t> numbers) {
    inputs_.bind(shard);
    tape_.replay();
    SampledClicks result;
    for (const std::string& name : coins_.names())
      result.latent.push_back(
          {name, std::vector<std::uint8_t>(shard.documents(), LatentVariable::not_tossed)});
    play_users(shard, seed, numbers, result);
    return result;
  }

 private:
  static constexpr std::size_t no_index = ~std::size_t{0};

  /// A user on the way down a list.
  struct User {
    std::size_t session;  // in the shard
    RandomStream random;
    std::size_t component = 0, state = 0;
    std::uint32_t rank = 0;           // next to look at
    std::uint32_t last_click = 0;     // number of the document, from 1; 0: none
    std::uint32_t last_position = 0;  // where that is displayed, from 1
  };

  /// Prepares to replay the coins of which the last click is all that is not known beforehand,
  /// unless they are known by pair of positions.
  void wait_for_coins() {
    after_clicks_.emplace(tape_, pairs_->node);
    const std::vector<Tensor> others = coins_.inputs_by_document();
    if (std::none_of(others.begin(), others.end(),
                     [&](Tensor coin) { return after_clicks_->affects(coin); }))
      after_clicks_.reset();
  }

  /// Lets a user play each session, after the tape has run.
  void play_users(const Shard& shard, std::uint64_t seed, std::span<const std::uint64_t> numbers,
                  SampledClicks& result) {
    coins_.read();
    result.clicks.resize(shard.documents());
    users_.clear();
    for (std::size_t j = 0; j < shard.sessions(); ++j) {
      users_.push_back({j, RandomStream(seed, RandomPurpose::clicks, 0, numbers[j])});
      arrive(users_.back(), result);
    }
    // Where coins depend on the last click, users wait after a click until those below are known.
    while (go_on(shard, result)) {
      std::vector<std::uint32_t> last_clicks;
      for (const User& user : users_) last_clicks.push_back(user.last_click);
      inputs_.assume_last_clicks(shard, last_clicks);
      after_clicks_->run();
      coins_.read();
    }
  }

  void arrive(User& user, SampledClicks& result) const {
    if (chain_.start.empty()) return;
    user.component = coins_.draw(
        chain_.start, {.random = user.random, .latent = result.latent, .document = user.session});
    user.state = chain_.start[user.component].to;
  }

  /// Lets all users go on to the end of their lists, or to their next click if coins depend on it.
  /// Returns true if some have not come to the end.
  bool go_on(const Shard& shard, SampledClicks& result) {
    bool some_wait = false;
    for (User& user : users_) {
      bool waits = false;
      for (; !waits && user.session < shard.count(user.rank); ++user.rank)
        waits = look(user, shard, shard.begin(user.rank) + user.session, result) && after_clicks_;
      some_wait |= user.session < shard.count(user.rank);
    }
    return some_wait;
  }

  /// Lets a user look at a document and move on. Returns true after a click.
  bool look(User& user, const Shard& shard, std::size_t document, SampledClicks& result) const {
    StoryCoins::Place place{.random = user.random,
                            .latent = result.latent,
                            .document = document,
                            .group = StoryCoins::Group::looking};
    const std::uint32_t position = shard.positions()[document];
    place.pair = position * (positions_ + 1) + user.last_position;
    const State& state = chain_.states[user.state];
    const bool examined = coins_.happens(state.examination, place);
    // A user who cannot examine anything has left and tosses no more coins.
    const bool attracted = !state.examination.is_never() && coins_.happens(state.attraction, place);
    const bool clicked = examined && attracted;
    result.clicks[document] = clicked ? 1 : 0;
    if (!result.latent.empty()) {
      result.latent[0].values[document] = examined ? 1 : 0;
      if (component_ != no_index)
        result.latent[component_].values[document] = static_cast<std::uint8_t>(user.component);
    }
    if (clicked) {
      user.last_click = user.rank + 1;
      user.last_position = position + 1;
    }
    place.group = StoryCoins::Group::moving;
    user.state = coins_.pick(clicked ? state.after_click : state.after_skip, place).to;
    return clicked;
  }

  Tape tape_;
  std::size_t positions_;
  ShardInputs inputs_;
  ProbGraph probabilities_;
  Session session_;
  Chain chain_;
  std::optional<Index> pairs_;  // of the assumed last clicks, if the story depends on them
  StoryCoins coins_;
  std::optional<SameCoins> same_coins_;        // if the story tosses the same ones everywhere
  std::optional<PartialReplay> after_clicks_;  // what is known after the last click only
  std::vector<User> users_;
  std::size_t component_ = no_index;  // index of the latent variable, if the user has a choice
};

ClickSampler::ClickSampler(const TrainableModel& model) : model_(model) {}
ClickSampler::~ClickSampler() = default;

ClickSampler::Program& ClickSampler::program(std::size_t longest) {
  if (by_length_.size() <= longest) by_length_.resize(longest + 1);
  if (!by_length_[longest]) by_length_[longest] = std::make_unique<Program>(model_, longest);
  return *by_length_[longest];
}

SampledClicks ClickSampler::sample(const Shard& shard, std::uint64_t seed,
                                   std::span<const std::uint64_t> numbers) {
  return program(shard.longest()).play(shard, seed, numbers);
}

void ClickSampler::sample_clicks(const Shard& shard, std::uint64_t seed,
                                 std::span<const std::uint64_t> numbers,
                                 std::vector<std::uint8_t>& clicks) {
  program(shard.longest()).play(shard, seed, numbers, clicks);
}

}  // namespace ultr
