#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "data/log/id_names.h"

namespace ultr {

/// A short queue of names that hides memory latency: each name is kept a few names after it was
/// added, when the memory prefetched for it has arrived.
class IdNameQueue {
 public:
  /// Adds to `names`, which must outlive the queue.
  explicit IdNameQueue(IdNames& names) : names_(names) {}

  /// Returns the id of a text. Throws DataError as IdNames::add does, for this or an earlier text.
  std::uint64_t add(std::string_view text) {
    const IdNames::Key key = IdNames::Key::of(text);
    if (key.is_number) return key.id;
    Name& name = next();
    name.key = key;
    name.text = text;
    name.waits = true;
    names_.prefetch(key.id);
    return key.id;
  }
  /// Keeps all names that were added. Throws DataError likewise.
  void finish() {
    for (std::size_t i = 0; i < names_waiting_.size(); ++i) next();
  }

 private:
  struct Name {
    IdNames::Key key;
    std::string text;
    bool waits = false;
  };

  /// Keeps the oldest name and returns its place.
  Name& next() {
    Name& name = names_waiting_[added_++ % names_waiting_.size()];
    if (name.waits) {
      name.waits = false;
      names_.add(name.key, name.text);
    }
    return name;
  }

  static constexpr std::size_t most_names = 16;

  IdNames& names_;
  std::array<Name, most_names> names_waiting_;  // ring buffer
  std::uint64_t added_ = 0;
};

}  // namespace ultr
