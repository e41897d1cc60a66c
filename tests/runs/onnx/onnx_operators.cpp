#include "runs/onnx/onnx_operators.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include <onnx/onnx_pb.h>

#include "base/error.h"
#include "runs/onnx/onnx_tree_operator.h"

namespace ultr::testing {
namespace {

using Tensors = std::vector<OnnxTensor>;
using Sizes = std::vector<std::size_t>;

std::size_t product(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies<>());
}

/// Returns the number of an axis, which counts from the last one if it is negative.
std::size_t axis_of(const OnnxTensor& x, std::int64_t number) {
  const auto axes = static_cast<std::int64_t>(x.shape.size());
  return static_cast<std::size_t>(number < 0 ? number + axes : number);
}

/// Calls visit(numbers) for each position in a shape, in row-major order.
void for_each_position(const Sizes& shape, const std::function<void(const Sizes&)>& visit) {
  Sizes at(shape.size(), 0);
  for (std::size_t left = product(shape); left > 0; --left) {
    visit(at);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++at[axis] < shape[axis]) break;
      at[axis] = 0;
    }
  }
}

/// Returns the element at a position of a shape to which the tensor is broadcast.
double element(const OnnxTensor& x, const Sizes& at) {
  std::size_t number = 0;
  for (std::size_t axis = 0; axis < x.shape.size(); ++axis) {
    const std::size_t i = at[at.size() - x.shape.size() + axis];
    number = number * x.shape[axis] + (x.shape[axis] == 1 ? 0 : i);
  }
  return x.values.at(number);
}

/// Returns the shape to which both shapes are broadcast. Throws Error if they do not fit.
Sizes broadcast(Sizes a, Sizes b) {
  const std::size_t axes = std::max(a.size(), b.size());
  a.insert(a.begin(), axes - a.size(), 1);
  b.insert(b.begin(), axes - b.size(), 1);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (a[axis] != b[axis] && a[axis] != 1 && b[axis] != 1) throw Error("shapes do not fit");
    a[axis] = a[axis] == 1 ? b[axis] : a[axis];
  }
  return a;
}

/// Returns f of each number of some tensors.
OnnxTensor each(const Tensors& in, double (*f)(const std::vector<double>&)) {
  OnnxTensor out{.is_float = in.back().is_float};
  for (const OnnxTensor& x : in) out.shape = broadcast(out.shape, x.shape);
  std::vector<double> numbers(in.size());
  for_each_position(out.shape, [&](const Sizes& at) {
    for (std::size_t k = 0; k < in.size(); ++k) numbers[k] = element(in[k], at);
    out.add(f(numbers));
  });
  return out;
}

/// Products of the matrices of the last two axes; those before are broadcast.
OnnxTensor matmul(const OnnxTensor& a, const OnnxTensor& b) {
  const std::size_t inner = a.shape.back(), columns = b.shape.back();
  if (b.shape[b.shape.size() - 2] != inner) throw Error("matrices do not fit");
  OnnxTensor out;
  out.shape = broadcast({a.shape.begin(), a.shape.end() - 2}, {b.shape.begin(), b.shape.end() - 2});
  out.shape.insert(out.shape.end(), {a.shape[a.shape.size() - 2], columns});
  for_each_position(out.shape, [&](const Sizes& at) {
    Sizes left = at, right = at;
    double sum = 0;
    for (std::size_t k = 0; k < inner; ++k) {
      left.back() = right[right.size() - 2] = k;
      sum += element(a, left) * element(b, right);
    }
    out.add(sum);
  });
  return out;
}

OnnxTensor gather(const onnx::NodeProto& op, const OnnxTensor& x, const OnnxTensor& numbers) {
  const std::size_t axis = op.attribute_size() == 0 ? 0 : axis_of(x, attribute(op, "axis").i());
  OnnxTensor out{.shape = x.shape, .is_float = x.is_float};
  out.shape.erase(out.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  out.shape.insert(out.shape.begin() + static_cast<std::ptrdiff_t>(axis), numbers.shape.begin(),
                   numbers.shape.end());
  for_each_position(out.shape, [&](const Sizes& at) {
    const auto first = at.begin() + static_cast<std::ptrdiff_t>(axis);
    const auto behind = first + static_cast<std::ptrdiff_t>(numbers.shape.size());
    const auto number = static_cast<std::size_t>(element(numbers, {first, behind}));
    if (number >= x.shape[axis]) throw Error("a number is beyond the axis");
    Sizes from(at.begin(), first);
    from.push_back(number);
    from.insert(from.end(), behind, at.end());
    out.add(element(x, from));
  });
  return out;
}

OnnxTensor concat(const onnx::NodeProto& op, const OnnxTensor& a, const OnnxTensor& b) {
  const std::size_t axis = axis_of(a, attribute(op, "axis").i());
  OnnxTensor out{.shape = a.shape};
  out.shape[axis] += b.shape[axis];
  for_each_position(out.shape, [&](Sizes at) {
    const bool of_a = at[axis] < a.shape[axis];
    if (!of_a) at[axis] -= a.shape[axis];
    out.add(element(of_a ? a : b, at));
  });
  return out;
}

/// The first rows of a tensor, from `first` up to `end`.
OnnxTensor slice(const OnnxTensor& x, const OnnxTensor& first, const OnnxTensor& end) {
  if (first.values.size() != 1) throw Error("Slice of further axes is not known");
  const auto from = static_cast<std::size_t>(first.values[0]);
  OnnxTensor out = x;
  out.shape[0] = std::min(x.shape[0], static_cast<std::size_t>(end.values[0])) - from;
  const std::size_t row = product(x.shape) / x.shape[0];
  const auto begin = x.values.begin() + static_cast<std::ptrdiff_t>(from * row);
  out.values.assign(begin, begin + static_cast<std::ptrdiff_t>(out.shape[0] * row));
  return out;
}

OnnxTensor reshape(const OnnxTensor& x, const OnnxTensor& sizes) {
  OnnxTensor out = x;
  out.shape.clear();
  std::size_t known = 1, open = sizes.values.size();
  for (std::size_t axis = 0; axis < sizes.values.size(); ++axis) {
    const double size = sizes.values[axis];
    if (size < 0) open = axis;
    out.shape.push_back(size < 0    ? 1
                        : size == 0 ? x.shape.at(axis)
                                    : static_cast<std::size_t>(size));
    known *= out.shape.back();
  }
  if (open < out.shape.size()) out.shape[open] = x.values.size() / known;
  if (product(out.shape) != x.values.size()) throw Error("sizes do not fit");
  return out;
}

OnnxTensor transpose(const onnx::NodeProto& op, const OnnxTensor& x) {
  const auto& order = attribute(op, "perm").ints();
  OnnxTensor out;
  for (const std::int64_t axis : order) out.shape.push_back(x.shape[axis_of(x, axis)]);
  for_each_position(out.shape, [&](const Sizes& at) {
    Sizes from(at.size());
    for (std::size_t i = 0; i < at.size(); ++i)
      from[axis_of(x, order[static_cast<int>(i)])] = at[i];
    out.add(element(x, from));
  });
  return out;
}

OnnxTensor unsqueeze(OnnxTensor x, const OnnxTensor& axes) {
  for (const double axis : axes.values)  // ascending
    x.shape.insert(x.shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  return x;
}

/// Returns the numbers of each row of the last axis as `change` leaves them.
OnnxTensor rows(const OnnxTensor& x, const std::function<void(std::vector<double>& row)>& change) {
  OnnxTensor out{.shape = x.shape, .is_float = x.is_float};
  const auto columns = static_cast<std::ptrdiff_t>(x.shape.back());
  for (auto at = x.values.begin(); at != x.values.end(); at += columns) {
    std::vector<double> row(at, at + columns);
    change(row);
    out.shape.back() = row.size();
    for (const double number : row) out.add(number);
  }
  return out;
}

void expect_last_axis(const OnnxTensor& x, std::int64_t axis) {
  if (axis_of(x, axis) + 1 != x.shape.size()) throw Error("only the last axis is known");
}

OnnxTensor softmax(const onnx::NodeProto& op, const OnnxTensor& x) {
  expect_last_axis(x, attribute(op, "axis").i());
  return rows(x, [](std::vector<double>& row) {
    const double largest = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (double& number : row) sum += number = std::exp(number - largest);
    for (double& number : row) number /= sum;
  });
}

OnnxTensor mean(const onnx::NodeProto& op, const OnnxTensor& x) {
  expect_last_axis(x, attribute(op, "axes").ints(0));
  return rows(x, [](std::vector<double>& row) {
    row = {std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(row.size())};
  });
}

OnnxTensor cast(const onnx::NodeProto& op, const OnnxTensor& x) {
  OnnxTensor out{.shape = x.shape, .is_float = attribute(op, "to").i() == onnx::TensorProto::FLOAT};
  for (const double number : x.values) out.add(number);
  return out;
}

OnnxTensor shape_of(const OnnxTensor& x) {
  return {.shape = {x.shape.size()}, .is_float = false, .values = {x.shape.begin(), x.shape.end()}};
}

using Numbers = const std::vector<double>&;

/// Operators that work on each number of tensors, which are broadcast.
const std::map<std::string, double (*)(Numbers)>& elementwise() {
  static const std::map<std::string, double (*)(Numbers)> all = {
      {"Abs", [](Numbers x) { return std::abs(x[0]); }},
      {"Add", [](Numbers x) { return x[0] + x[1]; }},
      {"Div", [](Numbers x) { return x[0] / x[1]; }},
      {"Elu", [](Numbers x) { return x[0] > 0 ? x[0] : std::exp(x[0]) - 1; }},
      {"Equal", [](Numbers x) { return x[0] == x[1] ? 1.0 : 0.0; }},
      {"Erf", [](Numbers x) { return std::erf(x[0]); }},
      {"Greater", [](Numbers x) { return x[0] > x[1] ? 1.0 : 0.0; }},
      {"IsNaN", [](Numbers x) { return std::isnan(x[0]) ? 1.0 : 0.0; }},
      {"Less", [](Numbers x) { return x[0] < x[1] ? 1.0 : 0.0; }},
      {"Log", [](Numbers x) { return std::log(x[0]); }},
      {"Mul", [](Numbers x) { return x[0] * x[1]; }},
      {"Relu", [](Numbers x) { return std::max(x[0], 0.0); }},
      {"Sign", [](Numbers x) { return x[0] > 0   ? 1.0
                                      : x[0] < 0 ? -1.0
                                                 : 0.0; }},
      {"Sqrt", [](Numbers x) { return std::sqrt(x[0]); }},
      {"Sub", [](Numbers x) { return x[0] - x[1]; }},
      {"Tanh", [](Numbers x) { return std::tanh(x[0]); }},
      {"Where", [](Numbers x) { return x[0] != 0 ? x[1] : x[2]; }},
  };
  return all;
}

using Operator = OnnxTensor (*)(const onnx::NodeProto&, const Tensors&);

/// The other operators.
const std::map<std::string, Operator>& operators() {
  using Op = const onnx::NodeProto&;
  using In = const Tensors&;
  static const std::map<std::string, Operator> all = {
      {"Cast", [](Op op, In in) { return cast(op, in[0]); }},
      {"Concat", [](Op op, In in) { return concat(op, in[0], in[1]); }},
      {"Gather", [](Op op, In in) { return gather(op, in[0], in[1]); }},
      {"Gemm",
       [](Op, In in) {
         return each({matmul(in[0], in[1]), in[2]}, [](Numbers x) { return x[0] + x[1]; });
       }},
      {"Identity", [](Op, In in) { return in[0]; }},
      {"MatMul", [](Op, In in) { return matmul(in[0], in[1]); }},
      {"ReduceMean", [](Op op, In in) { return mean(op, in[0]); }},
      {"Reshape", [](Op, In in) { return reshape(in[0], in[1]); }},
      {"Shape", [](Op, In in) { return shape_of(in[0]); }},
      {"Slice", [](Op, In in) { return slice(in[0], in[1], in[2]); }},
      {"Softmax", [](Op op, In in) { return softmax(op, in[0]); }},
      {"Transpose", [](Op op, In in) { return transpose(op, in[0]); }},
      {"TreeEnsembleRegressor", [](Op op, In in) { return run_trees(op, in[0]); }},
      {"Unsqueeze", [](Op, In in) { return unsqueeze(in[0], in[1]); }},
  };
  return all;
}

}  // namespace

const onnx::AttributeProto& attribute(const onnx::NodeProto& node, const std::string& name) {
  for (const onnx::AttributeProto& found : node.attribute())
    if (found.name() == name) return found;
  throw Error(node.op_type() + " has no attribute " + name);
}

OnnxTensor run_operator(const onnx::NodeProto& op, const Tensors& in) {
  if (const auto found = elementwise().find(op.op_type()); found != elementwise().end())
    return each(in, found->second);
  if (const auto found = operators().find(op.op_type()); found != operators().end())
    return found->second(op, in);
  throw Error("operator " + op.op_type() + " is not known");
}

}  // namespace ultr::testing
