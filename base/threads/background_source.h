#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace ultr {

/// Takes items, in order, from a function that makes them ahead on a thread of its own, so that the
/// work on the items does not wait for slow input. If the system starts no more threads, it runs on
/// that of the work. The counterpart of BackgroundQueue.
template <class Item>
class BackgroundSource {
 public:
  /// Returns the next item; nothing after the last one, and is not called again then.
  using Make = std::function<std::optional<Item>()>;

  /// `most`: number of items that may wait; then none is made.
  BackgroundSource(std::size_t most, Make make) : most_(most), make_(std::move(make)) {
    waiting_.reserve(most_);  // so that no memory is needed where its lack cannot be reported
    try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error&) {  // `next` then makes the items itself
    }
  }
  ~BackgroundSource() {
    {
      const std::scoped_lock lock(mutex_);
      dropped_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }
  BackgroundSource(const BackgroundSource&) = delete;
  BackgroundSource& operator=(const BackgroundSource&) = delete;

  /// Returns the next item; nothing after the last one. Throws what making it has thrown, which
  /// ends the items.
  std::optional<Item> next() {
    if (!thread_.joinable() && !ended_) make_next();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !waiting_.empty() || ended_; });
    if (waiting_.empty()) {
      if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
      return std::nullopt;
    }
    std::optional<Item> item = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    changed_.notify_all();
    return item;
  }

 private:
  void work() {
    while (may_make_next()) make_next();
  }

  /// Waits until there is room for another item. Returns false if no more are made.
  bool may_make_next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() < most_ || dropped_; });
    return !ended_ && !dropped_;
  }

  void make_next() {
    std::exception_ptr error;
    std::optional<Item> item = made(error);
    const std::scoped_lock lock(mutex_);
    error_ = error;
    ended_ = !item;
    if (item) waiting_.push_back(std::move(*item));
    changed_.notify_all();
  }

  /// Makes an item; nothing if that throws `error`.
  std::optional<Item> made(std::exception_ptr& error) {
    try {
      return make_();
    } catch (...) {
      error = std::current_exception();
      return std::nullopt;
    }
  }

  std::size_t most_;
  Make make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Item> waiting_;
  bool ended_ = false, dropped_ = false;
  std::exception_ptr error_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace ultr
