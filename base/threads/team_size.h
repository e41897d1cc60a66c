#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace ultr {

/// A worker's part in a round of work.
struct WorkerTime {
  std::size_t items = 0;  // that the worker has done
  double seconds = 0;
};

/// The cost of a round of work, in seconds.
struct RoundCost {
  double alone = 0;    // estimate of what one worker would need
  double seconds = 0;  // that the calling thread worked and waited
  double asleep = 0;   // of these, asleep
};

/// Returns the cost of a round from the times of those who worked in it, the calling thread's
/// first, and from how long the calling thread then waited for the others. A worker whose items
/// took much longer than another's was taken off its core meanwhile; that is not counted as work.
RoundCost round_cost(std::span<const WorkerTime> workers, double waited);

/// The number of workers that take part in rounds of work, chosen by measurement. Other programs
/// may want the same cores. Then the system takes a worker off its core in the middle of an item,
/// which holds up the others for milliseconds, a hundred times as long as an item takes; and it may
/// run the calling thread less often, since several threads of a program share what is due to it.
///
/// The speed of a number of workers is measured from both. Each number is assumed to be as good as
/// it can be until it is measured, and the fastest is used. One that turns out to be slower is left
/// alone for many times as long as trying it has cost, so that trials cost a few percent at most.
///
/// Workers may also slow each other down: where their cores share no cache, each waits for what the
/// other has written. The times of their items do not show that. Small pieces of work, which it
/// affects most, are therefore given to one worker alone for some milliseconds, twice a second.
class TeamSize {
 public:
  /// Chooses from 1 to `most` workers.
  explicit TeamSize(std::size_t most);

  /// The number of workers to use.
  std::size_t now() const { return choices_[now_].workers; }
  /// Counts a piece of work, of one or several rounds, that begins now. Pieces are alike, or
  /// different ones take turns.
  void begin_piece() { ++pieces_; }
  /// Adds a round that this number of workers, at least two, has done.
  void add(const RoundCost& round);
  /// Returns true if it is time to decide again, at time `seconds` of a steady clock.
  bool is_due(double seconds) const;
  /// Decides again. `on_core` is the processor time of the calling thread so far.
  void decide(double seconds, double on_core);

 private:
  struct Choice {
    std::size_t workers;
    // Sums over the latest rounds, and over the time in which they were done.
    RoundCost rounds{};
    double seconds = 0, on_core = 0, pieces = 0;
    double slow_until = 0;  // until when its measured speed is taken to be true
    double pause = 0;       // length of its latest pause
  };

  /// Returns the speed of a choice over that of one worker on a core of its own.
  double speed(const Choice& choice, double seconds) const;
  void add_window(Choice& choice, double seconds, double on_core) const;
  /// Forgets all measurements of a choice, or those that are old.
  static void start(Choice& choice);
  static void forget_old(Choice& choice);
  /// Returns the seconds that a piece of work costs the calling thread; 0 if they are not known.
  static double cost_of_piece(const Choice& choice);
  /// Returns true if it is time to measure one worker alone.
  bool is_trial_due(double seconds) const;
  /// Measures one worker in place of the current team, which goes on after that if it is better.
  void start_trial();
  void finish_trial(double seconds);
  /// Leaves a choice alone for a while, since another is faster.
  void pause(Choice& choice, const Choice& faster, double seconds) const;

  std::vector<Choice> choices_;             // the largest first, 1 last
  std::size_t now_ = 0;                     // index in choices_
  std::optional<std::size_t> interrupted_;  // the choice that a trial interrupts
  Choice before_trial_{};                   // what was known of one worker
  double cost_alone_ = 0;                   // of a piece of work; 0 if it is not known
  double last_trial_ = -1e9;
  double pieces_ = 0;  // since the last decision
  RoundCost window_;   // rounds since the last decision
  double decided_ = 0, decided_on_core_ = 0;
};

}  // namespace ultr
