#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/threads/team_size.h"

namespace ultr {

/// A team of threads for short rounds of parallel work, tens of microseconds apart, such as the
/// halves of a training step. Idle threads spin for a while before they sleep, since waking up
/// takes longer than a step.
///
/// Other programs may want the same cores. Workers therefore claim the items of a round one by one,
/// those of a worker who does not come are done by the others, and a round waits only for items
/// that somebody has begun. How many workers take part follows from measurements (TeamSize).
class WorkerTeam {
 public:
  /// Starts `threads` - 1 threads, or as many as the system starts; the calling thread is the first
  /// worker. `threads` is at least 1.
  explicit WorkerTeam(int threads);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  /// Returns the number of workers to divide the next rounds among, which are one piece of work: as
  /// many as were fastest lately.
  std::size_t count();
  /// Fixes the number of workers that `count` returns, at most the number of threads. 0 lets it be
  /// measured again.
  void fix_count(std::size_t workers) { fixed_ = workers; }

  /// Calls `work(worker, item)` once for each item, 0 to `items` - 1, in parallel, and returns when
  /// all are done. Calls of one worker do not overlap; workers are numbered from 0 to
  /// `workers` - 1, of which there may be at most as many as threads. Worker w starts with items w,
  /// w + workers, ... and then helps the others. Rethrows the first exception that a call throws.
  template <class Work>
  void operator()(std::size_t workers, std::size_t items, const Work& work) {
    if (workers == 1 || items < 2)
      for (std::size_t item = 0; item < items; ++item) work(std::size_t{0}, item);
    else
      run(std::min(workers, items), items, std::cref(work));  // a reference: nothing is allocated
  }

  /// Makes each thread of the team call `arrive(worker)` when it is wanted, before it claims an
  /// item, so that tests can hold it up. Must be called before the first round.
  void on_arrival(std::function<void(std::size_t)> arrive) { arrive_ = std::move(arrive); }

 private:
  /// The state that a worker shares with the others, in cache lines of its own.
  struct alignas(64) Member {
    /// Number of the round, and in the lower half the number of the worker's items that nobody has
    /// claimed.
    std::atomic<std::uint64_t> unclaimed = 0;
    std::atomic<std::uint32_t> wanted_in = 0;  // the latest round that the worker should join
    std::uint32_t worked_in = 0;               // the latest round that it has done an item of
    WorkerTime time;                           // in that round
  };

  void run(std::size_t workers, std::size_t items,
           const std::function<void(std::size_t, std::size_t)>& work);
  /// Lets the threads that take part begin.
  void start_round();
  void follow(std::size_t worker);
  /// Does items of a round until all are claimed. Returns how many.
  std::size_t take_part(std::size_t worker, std::uint32_t round);
  bool claim(std::size_t owner, std::uint32_t round, std::size_t& item);
  void do_item(std::size_t worker, std::size_t item);
  void measure_round(double waited);

  // The current round. Only who has claimed one of its items, and not finished it, may read these.
  const std::function<void(std::size_t, std::size_t)>* work_ = nullptr;
  std::size_t workers_ = 0, items_ = 0;

  std::uint32_t round_ = 0;  // rounds so far
  std::vector<Member> members_;
  alignas(64) std::atomic<std::uint32_t> unfinished_ = 0;  // items of the round
  std::atomic<bool> ends_ = false;
  std::mutex mutex_;
  std::exception_ptr error_;
  TeamSize size_;
  std::size_t fixed_ = 0;
  std::vector<WorkerTime> times_;  // of those who worked in the round
  std::function<void(std::size_t)> arrive_;
  std::vector<std::thread> threads_;
};

}  // namespace ultr
