#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace ultr {

/// Passes items, in order, to a function that runs on a thread of its own, so that slow output does
/// not hold up the work that makes the items. If the system starts no more threads, it runs on that
/// of the work.
template <class Item>
class BackgroundQueue {
 public:
  /// `most`: number of items that may wait; `put` then waits for room. `take` is called with one
  /// item at a time.
  BackgroundQueue(std::size_t most, std::function<void(const Item&)> take)
      : most_(most), take_(std::move(take)) {
    try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error&) {  // `put` then takes the items itself
    }
  }
  /// Drops items that still wait, unless `finish` was called.
  ~BackgroundQueue() { stop(State::dropped); }
  BackgroundQueue(const BackgroundQueue&) = delete;
  BackgroundQueue& operator=(const BackgroundQueue&) = delete;

  /// Appends an item. Throws what `take` has thrown for an earlier one; nothing is taken after
  /// that.
  void put(Item item) {
    if (!thread_.joinable()) return take_(item);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() < most_ || error_; });
    if (error_) std::rethrow_exception(error_);
    waiting_.push_back(std::move(item));
    changed_.notify_all();
  }
  /// Waits until all items are taken. Throws what `take` has thrown. Must be the last call.
  void finish() {
    stop(State::finished);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  enum class State : std::uint8_t { open, finished, dropped };

  void stop(State state) {
    {
      const std::scoped_lock lock(mutex_);
      if (state_ == State::open) state_ = state;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }

  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !waiting_.empty() || state_ != State::open; });
      if (waiting_.empty() || state_ == State::dropped) return;
      const Item item = std::move(waiting_.front());
      waiting_.pop_front();
      changed_.notify_all();
      lock.unlock();
      try {
        take_(item);
      } catch (...) {
        lock.lock();
        error_ = std::current_exception();
        waiting_.clear();
        changed_.notify_all();
        return;
      }
    }
  }

  std::size_t most_;
  std::function<void(const Item&)> take_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> waiting_;
  State state_ = State::open;
  std::exception_ptr error_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace ultr
