#include "data/pair_table.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ultr {
namespace {

constexpr std::size_t fewest_buckets = 6;

}  // namespace

PairTable::PairTable(std::size_t most_bytes) : most_bytes_(most_bytes), buckets_(1) { clear(); }

void PairTable::clear() {
  buckets_ = ZeroedArray<Bucket>(fewest_buckets);
  size_ = 0;
  room_ = fewest_buckets * bucket_pairs / 4 * 3;
}

void PairTable::put(Place place, const Pair& pair) {
  Bucket& bucket = buckets_[place.bucket];
  bucket.queries[place.slot] = pair.query;
  bucket.documents[place.slot] = pair.document;
  bucket.rows[place.slot] = pair.row;
}

std::uint32_t PairTable::add(Place place, std::uint64_t hash, const Pair& pair) {
  if (size_ == room_) {
    if (!grow()) return 0;
    place = find_place(hash, pair.query, pair.document);
  }
  put(place, pair);
  ++size_;
  return pair.row;
}

bool PairTable::grow() {
  const std::size_t buckets = std::min(2 * buckets_.size(), most_bytes_ / sizeof(Bucket));
  if (buckets < buckets_.size() + buckets_.size() / 8 + 1) return false;  // not worth it
  spread(buckets);
  return true;
}

void PairTable::reserve(std::size_t pairs) {
  if (pairs > room_) spread(pairs / 9 * 4 + 2 * fewest_buckets);
}

void PairTable::spread(std::size_t buckets) {
  const std::size_t before = buckets_.size();
  buckets_.grow(buckets);
  room_ = buckets * bucket_pairs / 4 * 3;
  // In place, from the end: pairs stand about in the order of their hashes, before and after, so
  // that each moves up into buckets that were left. The few that do not come in again last.
  std::vector<Pair> last;
  for (std::size_t i = before; i-- > 0;) {
    const Bucket left = std::exchange(buckets_[i], Bucket{});
    for (std::size_t slot = 0; slot < bucket_pairs && left.rows[slot] != 0; ++slot) {
      const Pair pair{left.queries[slot], left.documents[slot], left.rows[slot]};
      const std::uint64_t hash = PairTable::hash(pair.query, pair.document);
      const bool up = bucket_of(hash) >= i;
      const Place place = up ? find_place(hash, pair.query, pair.document) : Place{};
      if (up && place.bucket >= i)  // not round the end
        put(place, pair);
      else
        last.push_back(pair);
    }
  }
  for (const Pair& pair : last)
    put(find_place(hash(pair.query, pair.document), pair.query, pair.document), pair);
}

}  // namespace ultr
