#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/log/id_names.h"

namespace ultr {

/// Texts and their keys that one thread has found and another adds to an IdNames.
class NameTexts {
 public:
  void add(const IdNames::Key& key, std::string_view text);
  /// Adds all others, in order.
  void add(const NameTexts& others);
  /// Adds all texts to `names`, in order. Throws DataError as IdNames::add does.
  void add_to(IdNames& names) const;

 private:
  std::vector<IdNames::Key> keys_;
  std::vector<std::size_t> ends_;  // of each text in texts_
  std::string texts_;
};

/// The keys of recent names: many names in a log have occurred a short time before, and need not be
/// added again.
class RecentNames {
 public:
  /// Returns true if a key, which must not be that of a number, is among the recent ones. It then
  /// belongs to them.
  bool has(const IdNames::Key& key);

 private:
  /// Few enough to stay in a processor's second cache.
  static constexpr std::size_t most = std::size_t{1} << 14;

  struct Entry {
    std::uint64_t id = 0, check = 0;
  };
  std::vector<Entry> recent_ = std::vector<Entry>(most);  // each at the place that its id says
};

}  // namespace ultr
