#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "base/threads/background_queue.h"
#include "data/log/list_ids.h"

namespace ultr {

/// Passes the ids of lists, many at a time and in order, to a function that runs on a thread of its
/// own: it looks up pairs while the next lists are read.
class ListIdQueue {
 public:
  explicit ListIdQueue(std::function<void(const ListIds&)> take)
      : queue_(most_waiting, std::move(take)) {}

  /// Throws what `take` has thrown for this or an earlier list.
  void add(std::uint64_t query, std::span<const std::uint64_t> documents) {
    if (lists_.documents() + documents.size() > documents_at_once && lists_.lists() > 0)
      queue_.put(std::exchange(lists_, ListIds(documents_at_once)));
    lists_.add(query, documents);
  }
  /// Waits until all lists are taken. Throws likewise. Must be the last call.
  void finish() {
    queue_.put(std::move(lists_));
    queue_.finish();
  }

 private:
  // As few as stay in a core's cache until they are looked up.
  static constexpr std::size_t most_waiting = 16, documents_at_once = std::size_t{1} << 12;

  ListIds lists_ = ListIds(documents_at_once);
  BackgroundQueue<ListIds> queue_;
};

}  // namespace ultr
