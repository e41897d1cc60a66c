#include "base/arena.h"

#include <algorithm>

namespace ultr {
namespace {

constexpr std::size_t smallest_block = std::size_t{1} << 18;

std::size_t round_up(std::size_t bytes) {
  return (bytes + Arena::alignment - 1) / Arena::alignment * Arena::alignment;
}

}  // namespace

void Arena::Free::operator()(std::byte* memory) const {
  ::operator delete[](memory, std::align_val_t{alignment});
}

std::byte* Arena::allocate(std::size_t bytes) {
  const std::size_t wanted = round_up(bytes) + alignment;
  while (block_ < blocks_.size() && used_ + wanted > blocks_[block_].bytes) {
    ++block_;
    used_ = 0;
  }
  if (block_ == blocks_.size()) {
    const std::size_t size =
        std::max({smallest_block, wanted, blocks_.empty() ? 0 : 2 * blocks_.back().bytes});
    auto* memory = static_cast<std::byte*>(::operator new[](size, std::align_val_t{alignment}));
    blocks_.push_back({std::unique_ptr<std::byte[], Free>(memory), size});
    used_ = 0;
  }
  std::byte* result = blocks_[block_].memory.get() + used_;
  used_ += wanted;
  return result;
}

void Arena::reset() {
  block_ = 0;
  used_ = 0;
}

std::size_t Arena::capacity() const {
  std::size_t bytes = 0;
  for (const Block& block : blocks_) bytes += block.bytes;
  return bytes;
}

}  // namespace ultr
