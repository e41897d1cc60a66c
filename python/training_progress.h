#pragma once

#include <chrono>
#include <exception>

#include <pybind11/pybind11.h>

#include "base/progress_bar.h"
#include "python/trained_model.h"

namespace ultr::python {

/// Passes the progress of training, and of reading its data, to a Python object and asks Python for
/// signals, a few dozen times per second. It is used by one thread, which does not hold the GIL.
class TrainingProgress {
 public:
  /// `observer` has the methods progress(work, unit, done, total), step(epoch, sessions) and
  /// epoch(results), or is None. It must outlive this.
  explicit TrainingProgress(pybind11::handle observer) : observer_(observer) {}

  TrainingCallbacks callbacks();
  /// Returns the progress of work before training, such as reading files.
  Progress loading();
  /// Throws the Python exception for which training has stopped. Needs the GIL.
  [[noreturn]] void rethrow() const;

 private:
  using Clock = std::chrono::steady_clock;

  /// Asks for signals and, if it is time to, calls the observer's method with the arguments.
  template <class... Arguments>
  void report(const char* method, const Arguments&... arguments);
  void step(std::int64_t epoch, std::size_t sessions);
  void epoch(const EpochResult& result);
  /// Calls a function of Python and throws Stopped if it is interrupted. Needs the GIL.
  template <class Call>
  void call(const Call& call);

  pybind11::handle observer_;
  Clock::time_point asked_{}, shown_{};  // the first report is passed on
  std::exception_ptr signal_;
};

/// Returns the results of an epoch by name.
pybind11::dict to_python(const EpochResult& epoch);

}  // namespace ultr::python
