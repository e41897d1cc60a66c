#pragma once

#include <cstddef>
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
class TeamSize {
 public:
  /// Chooses from 1 to `most` workers.
  explicit TeamSize(std::size_t most);

  /// The number of workers to use.
  std::size_t now() const { return choices_[now_].workers; }
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
    double seconds = 0, on_core = 0;
    double slow_until = 0;  // until when its measured speed is taken to be true
    double pause = 0;       // length of its latest pause
  };

  /// Returns the speed of a choice over that of one worker on a core of its own.
  double speed(const Choice& choice, double seconds) const;
  void add_window(Choice& choice, double seconds, double on_core) const;
  static void forget_old(Choice& choice);
  /// Leaves a choice alone for a while, since another is faster.
  void pause(Choice& choice, const Choice& faster, double seconds) const;

  std::vector<Choice> choices_;  // the largest first, 1 last
  std::size_t now_ = 0;          // index in choices_
  RoundCost window_;             // rounds since the last decision
  double decided_ = 0, decided_on_core_ = 0;
};

}  // namespace ultr
