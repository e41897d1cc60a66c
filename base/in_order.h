#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>

namespace ultr {

/// Takes in the results of numbered pieces of work in the order of their numbers, whichever order
/// they are done in, from any thread. Keeps those that came too early, which are few if workers
/// take pieces in order.
template <class Result>
class InOrder {
 public:
  /// `take` is called with one result after the other, that of piece `first` first.
  InOrder(std::size_t first, std::function<void(const Result&)> take)
      : next_(first), take_(std::move(take)) {}

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
