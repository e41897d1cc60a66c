#pragma once

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>

#include "base/error.h"

namespace ultr {

/// Asked now and then by what takes long: the number of the signal that it is to stop for, or 0.
using StopRequest = std::function<int()>;

/// The command that goes on with a run or sweep of so many processes.
std::string command_to_resume(const std::filesystem::path& folder, int processes = 1);

/// Something stopped because it was asked to: what() is one line that says so, and how it goes on.
/// The program exits with 128 + the signal's number.
class Interrupted : public Error {
 public:
  /// `folder`: of the run or sweep that can go on, at which so many processes worked.
  Interrupted(int signal, const std::filesystem::path& folder, int processes = 1);
  /// Of something that cannot go on, and leaves nothing.
  static Interrupted for_good(int signal);
  int signal() const { return signal_; }

 private:
  Interrupted(const std::string& then, int signal);

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
