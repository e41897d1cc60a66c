#include "autograd/ops/pick.h"

#include <algorithm>
#include <array>

#include "autograd/ops/entry_list.h"

namespace ultr {
namespace {

template <class T>
void pick_forward(Tape& tape, Node& node) {
  const Node& whole = tape.input_of(node, 0);
  const T* from = reinterpret_cast<const T*>(whole.value);
  T* to = reinterpret_cast<T*>(node.value);
  for (const std::uint32_t e :
       list_entries(tape, node, static_cast<std::size_t>(tape.size_of(whole.shape))))
    *to++ = from[e];
}

template <class T>
void pick_backward(Tape& tape, Node& node) {
  const auto target = tape.gradient_target<T>(node, 0);
  if (!target) return;
  const EntryList& list = *node.entries;
  if (!target.add) std::fill_n(target.data, tape.size_of(list.all), T(0));
  const T* gradient = reinterpret_cast<const T*>(node.gradient);
  const auto count = static_cast<std::size_t>(tape.size_of(list.listed));
  for (std::size_t i = 0; i < count; ++i) target.data[list.entries[i]] += gradient[i];
}

constexpr Kernels pick_kernels = {{pick_forward<float>, pick_backward<float>},
                                  {pick_forward<double>, pick_backward<double>}};

}  // namespace

void record_pick(Tensor gathered) {
  Tape& tape = gathered.tape();
  const Shape shape = gathered.shape();
  const auto recorded =
      tape.record("pick", NodeKind::real, shape, &pick_kernels, std::array{gathered.node()});
  recorded.node.entries = make_entry_list(tape, shape.rows, false);
  recorded.node.demand = {};
  tape.node(gathered.node()).pick = recorded.id;
}

}  // namespace ultr
