#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "distributed/communicator.h"

namespace ultr::testing {

/// Communicators of threads in one process, which stand in for the processes of a run.
class ThreadCommunicators {
 public:
  explicit ThreadCommunicators(int size) : size_(size), board_(static_cast<std::size_t>(size)) {}

  /// Calls work(communicator) in one thread per rank and waits for all of them. Rethrows the
  /// exception of the lowest rank that failed. Work that fails in one rank only must not leave
  /// others waiting.
  void run(const std::function<void(Communicator&)>& work) {
    std::vector<std::exception_ptr> failures(board_.size());
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size_; ++rank)
      threads.emplace_back([&, rank] {
        One one(*this, rank);
        try {
          work(one);
        } catch (...) {
          failures[static_cast<std::size_t>(rank)] = std::current_exception();
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
  }

 private:
  class One final : public Communicator {
   public:
    One(ThreadCommunicators& all, int rank) : all_(all), process_(rank) {}

    int process() const override { return process_; }
    int size() const override { return all_.size_; }
    void begin_exchange(const Messages& to, Messages& from) override {
      all_.board_[static_cast<std::size_t>(process_)] = &to;
      from_ = &from;
    }
    void finish_exchange() override {
      all_.meet();
      Messages received;
      for (const Messages* theirs : all_.board_)
        received.push_back((*theirs)[static_cast<std::size_t>(process_)]);
      all_.meet();  // until all have read `to`
      *from_ = std::move(received);
    }
    void gather(std::span<const std::byte> own, Messages& all) override {
      const Messages to(static_cast<std::size_t>(size()),
                        std::vector<std::byte>(own.begin(), own.end()));
      exchange(to, all);
    }

   private:
    ThreadCommunicators& all_;
    int process_;
    Messages* from_ = nullptr;
  };

  void meet() {
    std::unique_lock lock(mutex_);
    const std::size_t now = meetings_;
    if (++here_ == size_) {
      here_ = 0;
      ++meetings_;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return meetings_ != now; });
    }
  }

  int size_;
  std::vector<const Messages*> board_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  int here_ = 0;
  std::size_t meetings_ = 0;
};

}  // namespace ultr::testing
