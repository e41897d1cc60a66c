#include "base/threads/worker_team.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <system_error>
#include <utility>

namespace ultr {
namespace {

/// Looks at a value that another thread is about to change, before yielding the core: some tens of
/// microseconds, longer than a usual item takes.
constexpr int looks_before_yielding = 2000;
/// Looks before sleeping, which wakes up late.
constexpr int looks_before_sleeping = looks_before_yielding + 200;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

/// Returns once `value` is no longer `old`.
void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int looks = 0; value.load(std::memory_order_acquire) == old; ++looks)
    if (looks < looks_before_yielding)
      pause();
    else if (looks < looks_before_sleeping)
      std::this_thread::yield();
    else
      value.wait(old, std::memory_order_acquire);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Returns the processor time of the calling thread, in seconds; the time where the system does not
/// tell.
double processor_time() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  timespec time{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
#endif
  return now();
}

constexpr int unclaimed_bits = 32;  // half of Member::unclaimed

/// Returns how many of the items are in the own list of a worker.
std::size_t items_of(std::size_t worker, std::size_t workers, std::size_t items) {
  return (items - worker + workers - 1) / workers;
}

}  // namespace

WorkerTeam::WorkerTeam(int threads)
    : members_(static_cast<std::size_t>(threads)), size_(static_cast<std::size_t>(threads)) {
  times_.reserve(members_.size());
  try {
    for (std::size_t worker = 1; worker < members_.size(); ++worker)
      threads_.emplace_back([this, worker] { follow(worker); });
  } catch (const std::system_error&) {  // the others do the items of those who never come
  }
}

WorkerTeam::~WorkerTeam() {
  ends_ = true;
  ++round_;
  for (Member& member : members_) {
    member.wanted_in = round_;
    member.wanted_in.notify_one();
  }
  for (std::thread& thread : threads_) thread.join();
}

std::size_t WorkerTeam::count() {
  if (fixed_ > 0) return fixed_;
  if (members_.size() == 1) return 1;
  if (const double seconds = now(); size_.is_due(seconds)) size_.decide(seconds, processor_time());
  size_.begin_piece();
  return size_.now();
}

void WorkerTeam::follow(std::size_t worker) {
  const std::atomic<std::uint32_t>& wanted_in = members_[worker].wanted_in;
  for (std::uint32_t round = 0;;) {
    wait_while(wanted_in, round);
    round = wanted_in;
    if (ends_) return;
    if (arrive_) arrive_(worker);
    const auto done = static_cast<std::uint32_t>(take_part(worker, round));
    if (done > 0 && unfinished_.fetch_sub(done, std::memory_order_acq_rel) == done)
      unfinished_.notify_one();
  }
}

bool WorkerTeam::claim(std::size_t owner, std::uint32_t round, std::size_t& item) {
  std::atomic<std::uint64_t>& unclaimed = members_[owner].unclaimed;
  std::uint64_t seen = unclaimed.load(std::memory_order_acquire);
  do {
    if (seen >> unclaimed_bits != round || static_cast<std::uint32_t>(seen) == 0) return false;
  } while (!unclaimed.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel,
                                            std::memory_order_acquire));
  const std::size_t left = static_cast<std::uint32_t>(seen);
  item = owner + (items_of(owner, workers_, items_) - left) * workers_;
  return true;
}

void WorkerTeam::do_item(std::size_t worker, std::size_t item) {
  try {
    (*work_)(worker, item);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
  }
}

std::size_t WorkerTeam::take_part(std::size_t worker, std::uint32_t round) {
  std::size_t done = 0;
  double begin = 0;
  // First the own items, then those of the next worker, and so on.
  for (std::size_t i = 0; i < members_.size(); ++i)
    for (std::size_t item = 0; claim((worker + i) % members_.size(), round, item); ++done) {
      if (done == 0) begin = now();
      do_item(worker, item);
    }
  if (done > 0) {
    members_[worker].worked_in = round;
    members_[worker].time = {.items = done, .seconds = now() - begin};
  }
  return done;
}

void WorkerTeam::start_round() {
  for (std::size_t worker = 0; worker < workers_; ++worker)
    members_[worker].unclaimed.store(
        std::uint64_t{round_} << unclaimed_bits | items_of(worker, workers_, items_),
        std::memory_order_release);
  for (std::size_t worker = 1; worker < workers_; ++worker) {
    members_[worker].wanted_in = round_;
    members_[worker].wanted_in.notify_one();
  }
}

void WorkerTeam::run(std::size_t workers, std::size_t items,
                     const std::function<void(std::size_t, std::size_t)>& work) {
  work_ = &work;
  workers_ = workers;
  items_ = items;
  unfinished_ = static_cast<std::uint32_t>(items);
  ++round_;
  start_round();
  const auto done = static_cast<std::uint32_t>(take_part(0, round_));
  const double begin = now();
  std::uint32_t left = unfinished_.fetch_sub(done, std::memory_order_acq_rel) - done;
  for (; left > 0; left = unfinished_.load(std::memory_order_acquire))
    wait_while(unfinished_, left);
  measure_round(now() - begin);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void WorkerTeam::measure_round(double waited) {
  times_.clear();
  for (const Member& member : members_)
    times_.push_back(member.worked_in == round_ ? member.time : WorkerTime{});
  if (fixed_ == 0) size_.add(round_cost(times_, waited));
}

}  // namespace ultr
