#include "layers/parameter.h"

#include <algorithm>
#include <bit>

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {
namespace {

/// Returns the length of a record of `used` floats: rounded up to a power of two if it fits a cache
/// line, to whole cache lines if it does not.
std::int64_t rounded_record(std::int64_t used) {
  constexpr auto line = static_cast<std::int64_t>(cache_line_bytes / sizeof(float));
  if (used > line) return (used + line - 1) / line * line;
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(used)));
}

}  // namespace

Parameter::Parameter(std::string name, std::int64_t rows, std::int64_t columns)
    : name_(std::move(name)), rows_(rows) {
  if (rows < 1 || columns < 1)
    throw Error(fmt::format("{}: {} rows of {} numbers; expected at least one of each", name_, rows,
                            columns));
  view_.columns = columns;
}

void Parameter::place_values(float* values, std::int64_t stride, std::int64_t state_stride) {
  own_values_ = values;
  own_stride_ = stride;
  own_state_stride_ = state_stride;
  overlay({});
}

void Parameter::overlay(std::span<const double> values, std::span<const std::uint32_t> listed) {
  if (values.empty()) {
    view_ = {own_values_, Precision::float32, rows_, columns(), own_stride_};
    return;
  }
  const std::int64_t rows = listed.empty() ? rows_ : static_cast<std::int64_t>(listed.size());
  if (static_cast<std::int64_t>(values.size()) != rows * columns())
    throw Error(fmt::format("{}: overlay of {} values; expected {}", name_, values.size(),
                            rows * columns()));
  view_ = {values.data(), Precision::float64, rows_, columns(), columns(), listed};
}

void Parameter::borrow(std::span<const float> rows) {
  overlay({});
  if (rows.empty()) return;
  view_.values = rows.data();
  view_.rows = static_cast<std::int64_t>(rows.size()) / columns();
  view_.stride = columns();
}

std::vector<float> Parameter::values() const {
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(rows() * columns()));
  for (std::int64_t row = 0; row < rows(); ++row) {
    const float* from = own_values_ + row * own_stride_;
    result.insert(result.end(), from, from + columns());
  }
  return result;
}

void Parameter::assign(std::span<const float> values) {
  if (static_cast<std::int64_t>(values.size()) != rows() * columns())
    throw Error(
        fmt::format("{}: {} values; expected {}", name_, values.size(), rows() * columns()));
  for (std::int64_t row = 0; row < rows(); ++row)
    std::copy_n(values.data() + row * columns(), columns(), own_values_ + row * own_stride_);
}

void Parameter::fill(float value) {
  for (std::int64_t row = 0; row < rows(); ++row)
    std::fill_n(own_values_ + row * own_stride_, columns(), value);
}

void Parameter::copy_kept(std::int64_t first, std::span<float> to) const {
  const float* row = own_values_ + first * own_stride_;
  for (auto at = to.begin(); at != to.end(); row += own_stride_)
    for (int s = 0; s <= states_; ++s) at = std::copy_n(row + s * own_state_stride_, columns(), at);
}

void Parameter::assign_kept(std::int64_t first, std::span<const float> from) {
  float* row = own_values_ + first * own_stride_;
  for (auto at = from.begin(); at != from.end(); row += own_stride_)
    for (int s = 0; s <= states_; ++s, at += columns())
      std::copy_n(at, columns(), row + s * own_state_stride_);
}

DenseParameter::DenseParameter(std::string name, std::int64_t rows, std::int64_t columns)
    : Parameter(std::move(name), rows, columns),
      memory_(static_cast<std::size_t>(rows * columns)),
      size_(static_cast<std::size_t>(rows * columns)) {
  place_values(memory_.data(), columns, rows * columns);
}

void DenseParameter::attach_states(int count) {
  ZeroedArray<float> memory(static_cast<std::size_t>(count + 1) * size_);
  std::copy_n(memory_.data(), size_, memory.data());
  memory_ = std::move(memory);
  states_ = count;
  place_values(memory_.data(), columns(), rows() * columns());
}

StructureParameter::StructureParameter(std::string name, std::int64_t rows, std::int64_t columns)
    : Parameter(std::move(name), rows, columns), memory_(static_cast<std::size_t>(rows * columns)) {
  place_values(memory_.data(), columns, 0);
}

EmbeddingTable::EmbeddingTable(std::string name, std::int64_t rows, std::int64_t columns)
    : Parameter(std::move(name), rows, columns) {
  attach_states(0);
}

void EmbeddingTable::attach_states(int count) {
  const std::int64_t width = columns();
  const std::int64_t stride = rounded_record((count + 2) * width);
  ZeroedArray<float> memory(static_cast<std::size_t>(rows() * stride));
  for (std::int64_t row = 0; row < rows(); ++row) {
    float* to = memory.data() + row * stride;
    if (stride_ > 0) std::copy_n(record(row), width, to);
    std::fill_n(to + (1 + count) * width, width, idle);
  }
  memory_ = std::move(memory);
  stride_ = stride;
  states_ = count;
  place_values(memory_.data(), stride, width);
}

void EmbeddingTable::add_gradients(std::span<const std::uint32_t> rows, const float* gradients,
                                   RowOwner owner) {
  constexpr std::size_t prefetch_distance = 16;  // rows may be in the cache of another core
  const std::int64_t width = columns(), stride = this->stride();
  float* const first = record(0) + gradient_offset();
  const auto for_each_owned = [&](auto add) {
    const std::size_t near =
        owner.workers > 1 ? 0 : rows.size() - std::min(rows.size(), prefetch_distance);
    for (std::size_t i = 0; i < near; ++i) {
      __builtin_prefetch(first + rows[i + prefetch_distance] * stride, 1);
      add(first + rows[i] * stride, i);
    }
    for (std::size_t i = near; i < rows.size(); ++i)
      if (owner.workers == 1 || owner.owns(rows[i])) add(first + rows[i] * stride, i);
  };
  // Adding 0.0 turns a gradient of -0.0, which would leave the row idle, into 0.0.
  if (width == 1)
    for_each_owned([=](float* to, std::size_t i) { *to += gradients[i] + 0.0f; });
  else
    for_each_owned([=](float* to, std::size_t i) {
      const float* from = gradients + i * static_cast<std::size_t>(width);
      for (std::int64_t c = 0; c < width; ++c) to[c] += from[c] + 0.0f;
    });
}

double EmbeddingTable::gradient_square(std::span<const std::uint32_t> rows,
                                       const float* gradients) const {
  const auto width = static_cast<std::size_t>(columns());
  double square = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const float* summed = record(rows[i]) + gradient_offset();
    for (std::size_t c = 0; c < width; ++c)
      square += static_cast<double>(gradients[i * width + c]) * static_cast<double>(summed[c]);
  }
  return square;
}

}  // namespace ultr
