#include <algorithm>

#include <fmt/core.h>

#include "autograd/tape/tape.h"
#include "base/error.h"

namespace ultr {
namespace {

std::vector<double> to_doubles(const Tape& tape, const std::byte* memory, std::int64_t count) {
  std::vector<double> result(static_cast<std::size_t>(count));
  if (memory == nullptr) return result;
  if (tape.precision() == Precision::float32) {
    const auto* values = reinterpret_cast<const float*>(memory);
    std::copy(values, values + count, result.begin());
  } else {
    const auto* values = reinterpret_cast<const double*>(memory);
    std::copy(values, values + count, result.begin());
  }
  return result;
}

}  // namespace

const Shape& Tensor::shape() const { return tape_->node(node_).shape; }

std::int64_t Tensor::size() const { return tape_->size_of(shape()); }

std::vector<double> Tensor::values() const {
  tape_->forward();
  return to_doubles(*tape_, tape_->node(node_).value, size());
}

std::span<const double> Tensor::float64_values() const {
  if (tape_->precision() != Precision::float64)
    throw Error("float64_values: the tape is float32; expected float64");
  tape_->forward();
  return {reinterpret_cast<const double*>(tape_->node(node_).value),
          static_cast<std::size_t>(size())};
}

double Tensor::item() const {
  if (size() != 1)
    throw ShapeError(
        fmt::format("item: the tensor is {}; expected one element", to_string(shape())));
  tape_->forward();
  const std::byte* value = tape_->node(node_).value;  // read in place: training asks every step
  return tape_->precision() == Precision::float32
             ? static_cast<double>(*reinterpret_cast<const float*>(value))
             : *reinterpret_cast<const double*>(value);
}

std::vector<double> Tensor::gradient() const {
  const Node& node = tape_->node(node_);
  return to_doubles(*tape_, node.planned ? node.gradient : nullptr, size());
}

}  // namespace ultr
