#include "training/shards/packed_shards.h"

#include <algorithm>

#include "data/log/parallel_shards.h"

namespace ultr {
namespace {

/// Documents of the largest log whose shards are kept packed, at about ten bytes per document.
constexpr std::size_t most_packed_documents = 100'000'000;

}  // namespace

void PackedShards::begin_pass() {
  if (keeps_ && kept_.empty()) kept_.resize(count());
  all_packed_ = std::ranges::all_of(kept_, [](const Shard& s) { return s.sessions() > 0; });
  keeps_ = log_.documents() <= most_packed_documents;  // from the next pass on
}

const Shard& PackedShards::shard(std::size_t number, std::size_t worker) {
  release_shards_before(log_, number);
  Shard& shard = kept_.empty() ? current_[worker] : kept_[number];
  if (kept_.empty() || shard.sessions() == 0) pack_shard(log_, number, shard);
  return shard;
}

}  // namespace ultr
