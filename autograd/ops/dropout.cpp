#include "autograd/ops/dropout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <fmt/core.h>

#include "autograd/tape/tape.h"
#include "base/error.h"
#include "base/random.h"

namespace ultr {
namespace {

constexpr std::uint32_t rate_steps = 65536;  // rates are multiples of 1 / rate_steps
constexpr std::size_t block_elements =
    sizeof(RandomBlock) / 2;  // elements per block of random bits

struct DropoutClosure {
  std::uint32_t dropped;  // the rate, in rate_steps
  std::uint32_t salt;
};

/// Draws 16 bits for each of n elements, in whole blocks.
void draw(const std::uint32_t* key, std::uint32_t salt, std::size_t n, std::byte* to) {
  const std::uint64_t seed = key[0] | std::uint64_t{key[1]} << 32;
  std::array<RandomBlock, 32> some;
  const std::size_t blocks = (n + block_elements - 1) / block_elements;
  for (std::size_t done = 0; done < blocks; done += some.size()) {
    const auto next = std::span(some).first(std::min(some.size(), blocks - done));
    random_blocks_of_streams(seed, RandomPurpose::dropout, key[2],
                             std::uint64_t{key[3]} << 32 | done, salt, next);
    std::memcpy(to + done * sizeof(RandomBlock), next.data(), next.size_bytes());
  }
}

/// Writes from[i] / (1 - rate) to to[i] where the element is kept, else 0; adds instead if `add`.
template <class T>
void keep(const T* from, const std::uint16_t* drawn, std::size_t n, std::uint32_t dropped, T* to,
          bool add) {
  const T scale = static_cast<T>(rate_steps) / static_cast<T>(rate_steps - dropped);
  if (add)
    for (std::size_t i = 0; i < n; ++i) to[i] += drawn[i] >= dropped ? from[i] * scale : T(0);
  else
    for (std::size_t i = 0; i < n; ++i) to[i] = drawn[i] >= dropped ? from[i] * scale : T(0);
}

template <class T>
void dropout_forward(Tape& tape, Node& node) {
  const auto& closure = *static_cast<const DropoutClosure*>(node.closure);
  const auto n = static_cast<std::size_t>(tape.size_of(node.shape));
  draw(reinterpret_cast<const std::uint32_t*>(tape.input_of(node, 1).value), closure.salt, n,
       node.saved);
  keep(reinterpret_cast<const T*>(tape.input_of(node, 0).value),
       reinterpret_cast<const std::uint16_t*>(node.saved), n, closure.dropped,
       reinterpret_cast<T*>(node.value), false);
}

template <class T>
void dropout_backward(Tape& tape, Node& node) {
  const auto& closure = *static_cast<const DropoutClosure*>(node.closure);
  if (const auto target = tape.gradient_target<T>(node, 0))
    keep(reinterpret_cast<const T*>(node.gradient),
         reinterpret_cast<const std::uint16_t*>(node.saved),
         static_cast<std::size_t>(tape.size_of(node.shape)), closure.dropped, target.data,
         target.add);
}

constexpr Kernels dropout_kernels = {
    {dropout_forward<float>, dropout_backward<float>, demand_same_rows},
    {dropout_forward<double>, dropout_backward<double>, demand_same_rows}};

}  // namespace

Tensor dropout(Tensor x, double rate, Index key, std::uint32_t salt) {
  Tape& tape = common_tape("dropout", std::array{x, Tensor(*key.tape, key.node)});
  const Shape& words = tape.node(key.node).shape;
  if (words.rows != Extent(dropout_key_words))
    throw ShapeError(
        fmt::format("dropout: the key is {}; expected [{}]", to_string(words), dropout_key_words));
  if (!(rate >= 0 && rate < 1))
    throw Error(fmt::format("dropout: the rate is {}; expected at least 0 and below 1", rate));
  const auto dropped =
      std::min(static_cast<std::uint32_t>(std::lround(rate * rate_steps)), rate_steps - 1);
  const Shape shape = x.shape();
  const auto recorded = tape.record("dropout", NodeKind::real, shape, &dropout_kernels,
                                    std::array{x.node(), key.node});
  recorded.node.closure = tape.arena().create(DropoutClosure{dropped, salt});
  recorded.node.saved =
      tape.arena().allocate((static_cast<std::size_t>(shape.capacity()) + block_elements - 1) /
                            block_elements * sizeof(RandomBlock));
  return tape.tensor(recorded);
}

}  // namespace ultr
