#include "base/threads/team_size.h"

#include <algorithm>
#include <limits>

namespace ultr {
namespace {

/// A worker's items that take this many times as long as another worker's have been interrupted.
constexpr double longest_over_shortest = 8;

/// The speed of one worker, over that of one worker in a round for several: alone, it need not
/// divide work, and leaves the other cores to other programs.
constexpr double speed_alone = 1.35;

// In seconds.
constexpr double between_decisions = 1e-3;
constexpr double memory_of_team = 50e-3;  // time of the latest rounds of a team, which count
constexpr double memory_alone = 300e-3;   // of one worker
constexpr double assumed_alone = 50e-3;   // on a core, added to what was measured of one worker
constexpr double longest_window = 50e-3;  // in a longer one, the caller did something else
constexpr double longest_spin = 100e-6;   // a longer wait is one asleep
constexpr double shortest_pause = 50e-3;
constexpr double alone_is_known = 1;  // how long the speed of one worker is taken to be true
constexpr double longest_doubled_pause = 1;

// Trials of one worker, in seconds.
constexpr double between_trials = 500e-3;
constexpr double length_of_trial = 3e-3;
constexpr double largest_small_piece = 200e-6;  // larger ones are not tried
constexpr double least_pieces = 32;             // whose cost is a measurement

/// Length of a pause over the time that was lost before it.
constexpr double pause_over_loss = 16;

}  // namespace

RoundCost round_cost(std::span<const WorkerTime> workers, double waited) {
  double shortest = std::numeric_limits<double>::infinity();  // of an item
  for (const WorkerTime& worker : workers)
    if (worker.items > 0)
      shortest = std::min(shortest, worker.seconds / static_cast<double>(worker.items));
  RoundCost cost{.seconds = waited, .asleep = waited > longest_spin ? waited : 0};
  for (const WorkerTime& worker : workers) {
    if (worker.items == 0) continue;
    const double worked = std::min(
        worker.seconds, longest_over_shortest * shortest * static_cast<double>(worker.items));
    cost.alone += worked;
    if (&worker == workers.data()) cost.seconds += worked;
  }
  return cost;
}

TeamSize::TeamSize(std::size_t most) {
  // 16, 12, 9, 7, 6, 5, 4, 3, 2, 1
  for (std::size_t workers = most; workers > 1; workers -= std::max<std::size_t>(1, workers / 4))
    choices_.push_back({.workers = workers});
  choices_.push_back({.workers = 1});
}

void TeamSize::add(const RoundCost& round) {
  window_.alone += round.alone;
  window_.seconds += round.seconds;
  window_.asleep += round.asleep;
}

bool TeamSize::is_due(double seconds) const { return seconds - decided_ >= between_decisions; }

double TeamSize::speed(const Choice& choice, double seconds) const {
  const double best = choice.workers == 1 ? speed_alone : static_cast<double>(choice.workers);
  const bool is_known = &choice == &choices_[now_] || seconds < choice.slow_until;
  if (!is_known || choice.seconds <= 0) return best;
  if (choice.workers == 1)
    return speed_alone * (choice.on_core + assumed_alone) / (choice.seconds + assumed_alone);
  const double awake = choice.seconds - choice.rounds.asleep;
  const double share = awake > 0 ? std::clamp(choice.on_core / awake, 0.01, 1.0) : 1;
  double speed = choice.rounds.seconds > 0 ? choice.rounds.alone / choice.rounds.seconds : best;
  if (const double cost = cost_of_piece(choice); cost > 0 && cost_alone_ > 0)
    speed = std::min(speed, speed_alone * cost_alone_ / cost);
  return share * speed;
}

double TeamSize::cost_of_piece(const Choice& choice) {
  if (choice.pieces < least_pieces) return 0;
  return (choice.on_core + choice.rounds.asleep) / choice.pieces;
}

bool TeamSize::is_trial_due(double seconds) const {
  const Choice& current = choices_[now_];
  if (current.workers == 1 || seconds - last_trial_ < between_trials) return false;
  const double cost = cost_of_piece(current);
  return cost > 0 && cost < largest_small_piece;
}

void TeamSize::start_trial() {
  interrupted_ = now_;
  before_trial_ = choices_.back();
  now_ = choices_.size() - 1;
  start(choices_[now_]);
}

void TeamSize::finish_trial(double seconds) {
  Choice &team = choices_[*interrupted_], &alone = choices_.back();
  last_trial_ = seconds;
  if (cost_of_piece(team) <= cost_alone_) {
    alone = before_trial_;
    now_ = *interrupted_;
  } else {
    alone.slow_until = seconds + alone_is_known;
    team.slow_until = seconds + between_decisions;  // known, too, for how long to pause
    pause(team, alone, seconds);
  }
  interrupted_.reset();
}

void TeamSize::add_window(Choice& choice, double seconds, double on_core) const {
  if (seconds > longest_window) return;
  choice.rounds.alone += window_.alone;
  choice.rounds.seconds += window_.seconds;
  choice.rounds.asleep += window_.asleep;
  choice.seconds += seconds;
  choice.on_core += on_core;
  choice.pieces += pieces_;
}

void TeamSize::start(Choice& choice) {
  choice.rounds = {};
  choice.seconds = choice.on_core = choice.pieces = 0;
}

void TeamSize::forget_old(Choice& choice) {
  const double most = choice.workers == 1 ? memory_alone : memory_of_team;
  if (choice.seconds <= most) return;
  const double kept = most / choice.seconds;
  choice.rounds.alone *= kept;
  choice.rounds.seconds *= kept;
  choice.rounds.asleep *= kept;
  choice.on_core *= kept;
  choice.pieces *= kept;
  choice.seconds = most;
  choice.pause = 0;  // it has proved its worth
}

void TeamSize::pause(Choice& choice, const Choice& faster, double seconds) const {
  if (choice.workers == 1) {
    choice.slow_until = seconds + alone_is_known;
    return;
  }
  double loss = 0;
  if (seconds < faster.slow_until)
    loss = 1 - speed(choice, seconds) / speed(faster, seconds);
  else if (choice.rounds.seconds > 0)  // it is not known to be slower; count the waiting
    loss = 1 - choice.rounds.alone / choice.rounds.seconds / speed_alone;
  choice.pause = std::max({shortest_pause, pause_over_loss * loss * choice.seconds,
                           loss > 0 ? std::min(longest_doubled_pause, 2 * choice.pause) : 0});
  choice.slow_until = seconds + choice.pause;
}

void TeamSize::decide(double seconds, double on_core) {
  Choice& current = choices_[now_];
  add_window(current, seconds - decided_, on_core - decided_on_core_);
  decided_ = seconds;
  decided_on_core_ = on_core;
  window_ = {};
  pieces_ = 0;
  if (current.workers == 1 && current.pieces >= least_pieces) cost_alone_ = cost_of_piece(current);
  if (interrupted_) {
    if (current.seconds >= length_of_trial && current.pieces >= least_pieces) finish_trial(seconds);
    return;
  }

  std::size_t best = now_;
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    // One worker does not give way to a choice that was slow, however slow it is itself at times.
    if (current.workers == 1 && i != now_ && seconds < choices_[i].slow_until) continue;
    if (speed(choices_[i], seconds) > speed(choices_[best], seconds)) best = i;
  }
  if (best == now_) {
    forget_old(current);
    if (is_trial_due(seconds)) start_trial();
    return;
  }
  pause(current, choices_[best], seconds);
  if (Choice& next = choices_[best]; seconds >= next.slow_until) start(next);
  now_ = best;
}

}  // namespace ultr
