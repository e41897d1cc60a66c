#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ultr {

/// A team of threads for short pieces of parallel work, tens of microseconds apart, such as the
/// halves of a training step. Idle threads spin for a while before they sleep, since waking up
/// takes longer than a step.
class WorkerTeam {
 public:
  /// Starts `threads` - 1 threads; the calling thread is the first worker. `threads` is at least 1.
  explicit WorkerTeam(int threads);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  /// Calls `work(worker)` once per worker, in parallel, and returns when all are done. Rethrows the
  /// first exception that a worker throws.
  template <class Work>
  void operator()(const Work& work) {
    run(std::cref(work));  // a reference fits into std::function without allocation
  }

 private:
  void run(const std::function<void(std::size_t)>& work);
  void follow(std::size_t worker);
  void do_part(std::size_t worker);

  const std::function<void(std::size_t)>* work_ = nullptr;
  std::atomic<std::uint32_t> round_ = 0;  // pieces of work so far
  std::atomic<std::size_t> left_ = 0;     // workers not done with the current piece
  std::atomic<bool> ends_ = false;
  std::mutex mutex_;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

}  // namespace ultr
