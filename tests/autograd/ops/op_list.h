#pragma once

#include <cmath>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "autograd/tape/tensor.h"

/// The list of all ops of autograd/, with the facts that tests of properties need. ops_test.cpp
/// tests all properties of all ops. A new op is one entry in op_list.cpp.
namespace ultr::testing {

/// The numbers that an operand may hold. Ordinary numbers are drawn from [low, high]; all of
/// [least, most] is legal.
struct Domain {
  double low, high;
  double least = -HUGE_VAL, most = HUGE_VAL;
};

struct Operand {
  Domain domain;
  /// The operand's shape in a test of size n.
  Shape (*shape)(std::int64_t n) = [](std::int64_t n) { return Shape::vector(n); };
};

enum class Form {
  elementwise,  // operands of any shapes that broadcast
  structured,   // operands of the stated shapes
};

struct Op {
  std::string name;
  Form form;
  std::vector<Operand> operands;
  std::function<Tensor(std::span<const Tensor>)> apply;
};

/// Names the op in the output of a parameterised test.
inline void PrintTo(const Op& op, std::ostream* out) { *out << op.name; }

std::vector<Op> all_ops();
std::vector<Op> elementwise_ops();
/// Elementwise ops of two operands.
std::vector<Op> binary_ops();

}  // namespace ultr::testing
