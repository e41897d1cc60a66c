#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>

namespace ultr {

/// A thread-safe queue that passes on the results of numbered pieces of work in the order of their
/// numbers, whatever order they arrive in. Results that arrive early are held back; they are few if
/// workers take pieces in order.
template <class Result>
class OrderedReducer {
 public:
  /// Calls `take` with one result at a time, starting with that of piece `first`.
  OrderedReducer(std::size_t first, std::function<void(const Result&)> take)
      : next_(first), take_(std::move(take)) {}

  /// Adds the result of piece `number` and passes on all results that are now next in order.
  void put(std::size_t number, Result result) {
    const std::lock_guard lock(mutex_);
    early_.emplace(number, std::move(result));
    for (auto first = early_.begin(); first != early_.end() && first->first == next_;
         first = early_.erase(first), ++next_)
      take_(first->second);
  }

 private:
  std::mutex mutex_;
  std::size_t next_;
  std::function<void(const Result&)> take_;
  std::map<std::size_t, Result> early_;
};

}  // namespace ultr
