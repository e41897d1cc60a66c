#pragma once

#include <csignal>
#include <filesystem>
#include <functional>

#include "autograd/error.h"

namespace ultr {

/// Asked now and then by what takes long: the number of the signal that it is to stop for, or 0.
using StopRequest = std::function<int()>;

/// Something stopped because it was asked to, and can go on: what() is one line that says how. The
/// program exits with 128 + the signal's number.
class Interrupted : public Error {
 public:
  /// `folder`: of the run or sweep.
  Interrupted(int signal, const std::filesystem::path& folder);
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// While it lives, the first SIGINT or SIGTERM is remembered instead of ending the process; the
/// second ends it. One that the process ignores stays ignored. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The signal that came first, or 0.
  int received() const;

 private:
  struct sigaction before_interrupt_ = {}, before_terminate_ = {};
};

}  // namespace ultr
