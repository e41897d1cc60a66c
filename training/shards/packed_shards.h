#pragma once

#include <vector>

#include "data/log/shard.h"

namespace ultr {

/// The shards of a log, for several passes over it. From the second pass on, a log of up to a
/// hundred million documents is kept packed, at about ten bytes per document. A larger one is
/// packed anew in every pass.
class PackedShards {
 public:
  /// `log` must outlive this object and must not change.
  PackedShards(const SessionLog& log, std::size_t workers) : log_(log), current_(workers) {}

  /// Starts a pass.
  void begin_pass();
  /// Returns a shard, which a worker may use until it asks for the next one. Calls of different
  /// workers may overlap unless they ask for the same shard.
  const Shard& shard(std::size_t number, std::size_t worker);
  /// Returns a shard for prefetching, or null: in the first pass that keeps shards, another worker
  /// may be packing it.
  const Shard* kept(std::size_t number) const {
    return all_packed_ && number < kept_.size() ? &kept_[number] : nullptr;
  }
  /// Returns the number of shards.
  std::size_t count() const { return shards_of(log_.sessions()); }

 private:
  const SessionLog& log_;
  bool keeps_ = false;
  bool all_packed_ = false;
  std::vector<Shard> kept_;     // the whole log, or empty
  std::vector<Shard> current_;  // one per worker
};

}  // namespace ultr
