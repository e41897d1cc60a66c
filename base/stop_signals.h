#pragma once

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>

#include "base/error.h"

namespace ultr {

/// A function that long-running work calls now and then. Returns the number of the signal that asks
/// it to stop, or 0.
using StopRequest = std::function<int()>;

/// Returns the shell command that resumes a run or sweep with `processes` processes.
std::string command_to_resume(const std::filesystem::path& folder, int processes = 1);

/// The exception for work that a signal has stopped. what() is one line that says so and tells how
/// to resume. The program exits with 128 + the signal's number.
class Interrupted : public Error {
 public:
  /// `folder` is the folder of the run or sweep to resume, on which `processes` processes worked.
  Interrupted(int signal, const std::filesystem::path& folder, int processes = 1);
  /// For work that cannot be resumed and leaves nothing behind.
  static Interrupted for_good(int signal);
  int signal() const { return signal_; }

 private:
  Interrupted(const std::string& then, int signal);

  int signal_;
};

/// A scope in which the first SIGINT, SIGTERM or SIGHUP is remembered instead of ending the
/// process; a second one ends it, unless it is SIGHUP, which a terminal that closes may send twice.
/// Output to a pipe that nobody reads fails, instead of ending the process by SIGPIPE. A signal
/// that the process ignores stays ignored. Only one instance may exist at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Returns the first signal received, or 0.
  int received() const;
  /// Throws Interrupted::for_good if one was received.
  void expect_none() const;
};

/// Asks the work that watches signals now to stop, as `signal` would. It is for a process, such as
/// Python, that has handled the signal itself; without such work it does nothing.
void request_stop(int signal) noexcept;

}  // namespace ultr
