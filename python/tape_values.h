#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include <pybind11/pybind11.h>

#include "autograd/tape/tape.h"
#include "base/error.h"

namespace ultr::python {

/// The tape of Python's tensors: one of float64 of its own, or that on which a loss is recorded.
class PythonTape {
 public:
  PythonTape() : own_(std::make_unique<Tape>(Precision::float64)), tape_(own_.get()) {}
  explicit PythonTape(Tape& recorded) : tape_(&recorded) {}

  /// Throws ConfigError if the recording of a loss has ended.
  Tape& tape() const {
    if (tape_ == nullptr)
      throw ConfigError(
          "a tensor is of another call of the loss; expected those of this call alone");
    return *tape_;
  }
  /// Returns a tape that has values. Throws ConfigError while a loss is recorded.
  Tape& own() const {
    if (own_ == nullptr)
      throw ConfigError("a tensor has no value while its loss is recorded; expected ops alone");
    return *own_;
  }
  void end_recording() { tape_ = nullptr; }

  std::deque<std::vector<std::uint32_t>> offsets{};  // that segments are bound to

 private:
  std::unique_ptr<Tape> own_;
  Tape* tape_;
};
using SharedTape = std::shared_ptr<PythonTape>;

/// A tensor that keeps its tape alive.
struct PythonTensor {
  Tensor tensor;
  SharedTape tape;

  /// Throws ConfigError if the recording that it belongs to has ended.
  const Tensor& get() const {
    static_cast<void>(tape->tape());
    return tensor;
  }
  /// Returns a tensor that has values. Throws ConfigError while a loss is recorded.
  const Tensor& own() const {
    static_cast<void>(tape->own());
    return tensor;
  }
  PythonTensor on_same_tape(Tensor other) const { return {other, tape}; }
};

/// Binds the operators of tensors, and `where`.
void bind_operators(pybind11::module_& m, pybind11::class_<PythonTensor>& tensors);

}  // namespace ultr::python
