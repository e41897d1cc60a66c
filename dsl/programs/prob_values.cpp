#include "dsl/programs/prob_values.h"

#include <cmath>
#include <limits>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/logspace.h"
#include "autograd/ops/select.h"

namespace ultr {
namespace {

using Kind = ProbGraph::Kind;

double smallest_value(const Tape& tape) {
  return tape.precision() == Precision::float32 ? double{std::numeric_limits<float>::min()}
                                                : std::numeric_limits<double>::min();
}

/// Returns p of a node, or 1-p, from the numbers of its parts: part(i, complement) returns an
/// optional tensor. Only sums and products of positive numbers are formed, so nothing cancels.
/// Returns nothing if that is impossible.
template <class Part>
std::optional<Tensor> value_from_parts(const ProbGraph& graph, const ProbGraph::Node& node,
                                       bool complement, Part part) {
  const auto limited = [&](Tensor p) { return clamp(p, smallest_value(graph.tape()), 1); };
  const auto sum_of_products = [&](auto a, auto b, auto c, auto d) -> std::optional<Tensor> {
    if (!a || !b || !c || !d) return std::nullopt;
    return limited(*a * *b + *c * *d);
  };
  switch (node.kind) {
    case Kind::logit:
      return sigmoid_from(smallest_value(graph.tape()), node.values, complement ? -1 : 1);
    case Kind::both: {
      const auto p = part(0, false), q = part(1, complement);
      if (!p || !q) return std::nullopt;
      if (!complement) return limited(*p * *q);
      const auto not_p = part(0, true);
      if (!not_p) return std::nullopt;
      return limited(*not_p + *p * *q);
    }
    case Kind::mixture:
      return sum_of_products(part(0, false), part(1, complement), part(0, true),
                             part(2, complement));
    case Kind::either: {
      if (complement) return std::nullopt;
      const auto p = part(0, false), q = part(1, false);
      if (!p || !q) return std::nullopt;
      return limited(*p + *q);
    }
    case Kind::selected: {
      const auto p = part(0, complement), q = part(1, complement);
      if (!p || !q) return std::nullopt;
      return where(node.condition, *p, *q);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Tensor> value_by_entry(Prob p) {
  ProbGraph& graph = p.graph();
  const ProbGraph::Node& node = graph.node(p.node());
  if (node.scalar) return p.value();
  if (!node.table) return std::nullopt;
  return value_from_parts(graph, node, p.complemented(), [&](std::size_t i, bool other) {
    const Prob part = node.parts[i];
    return value_by_entry(other ? !part : part);
  });
}

Tensor ProbGraph::document_value(std::uint32_t id, bool complement) {
  Node& node = nodes_[id];
  auto& value = node.document_value[complement];
  if (value) return *value;
  if (node.kind == Kind::always) {
    value = tape_.constant(complement ? 0 : 1);
    return *value;
  }
  std::optional<Tensor> known;
  if (node.table) {
    known = value_by_entry({*this, id, complement});
    if (known) known = take(*known, *node.table);
  } else {
    known = value_from_parts(*this, node, complement, [&](std::size_t i, bool other) {
      const Prob& part = node.parts[i];
      return std::optional(document_value(part.node(), part.complemented() != other));
    });
  }
  value =
      known ? *known : exp(clamp(document_log(id, complement), std::log(smallest_value(tape_)), 0));
  return *value;
}

}  // namespace ultr
