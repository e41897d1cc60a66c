#include "base/worker_team.h"

#include <utility>

namespace ultr {
namespace {

/// Spins before sleeping: about a tenth of a millisecond.
constexpr int looks_before_sleep = 5000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

WorkerTeam::WorkerTeam(int threads) {
  for (int worker = 1; worker < threads; ++worker)
    threads_.emplace_back([this, worker] { follow(static_cast<std::size_t>(worker)); });
}

WorkerTeam::~WorkerTeam() {
  ends_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerTeam::do_part(std::size_t worker) {
  try {
    (*work_)(worker);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
  }
}

void WorkerTeam::follow(std::size_t worker) {
  for (std::uint32_t seen = 0;; ++seen) {
    for (int looks = 0; round_ == seen; ++looks)
      if (looks < looks_before_sleep)
        pause();
      else
        round_.wait(seen);
    if (ends_) return;
    do_part(worker);
    --left_;
  }
}

void WorkerTeam::run(const std::function<void(std::size_t)>& work) {
  work_ = &work;
  left_ = threads_.size();
  ++round_;
  round_.notify_all();
  do_part(0);
  for (int looks = 0; left_ > 0; ++looks)
    if (looks < looks_before_sleep)
      pause();
    else
      std::this_thread::yield();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace ultr
