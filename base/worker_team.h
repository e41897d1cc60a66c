#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ultr {

/// Threads that do a piece of work together again and again, tens of microseconds apart, as the
/// halves of a training step: they look for the next piece for a while before they sleep, since to
/// be woken takes longer than a step.
class WorkerTeam {
 public:
  /// `threads`: at least 1, the calling one included.
  explicit WorkerTeam(int threads);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  /// Calls `work(worker)` once for each worker, in parallel, and returns when all are done. Throws
  /// what one of them threw.
  template <class Work>
  void operator()(const Work& work) {
    run(std::cref(work));  // which std::function takes without memory of its own
  }

 private:
  void run(const std::function<void(std::size_t)>& work);
  void follow(std::size_t worker);
  void do_part(std::size_t worker);

  const std::function<void(std::size_t)>* work_ = nullptr;
  std::atomic<std::uint32_t> round_ = 0;  // pieces of work so far
  std::atomic<std::size_t> left_ = 0;     // workers that are not done with the last one
  std::atomic<bool> ends_ = false;
  std::mutex mutex_;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

}  // namespace ultr
