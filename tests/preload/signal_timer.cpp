// Preloaded into a program (LD_PRELOAD), sends it signals by its own processor time, so that they
// hit the same phases of the program however busy the machine is. After SIGTERM_AFTER microseconds
// of processor time the program gets SIGTERM. With PROFILE_EVERY it gets SIGPROF each time it has
// used so many microseconds, as under a profiler, and does nothing about it.
#include <csignal>
#include <cstdlib>

#include <sys/time.h>
#include <unistd.h>

namespace {

long microseconds(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? 0 : std::atol(value);
}

const long end_after = microseconds("SIGTERM_AFTER");

void on_timer(int) {
  if (end_after > 0) kill(getpid(), SIGTERM);
}

const bool started = [] {
  const long wait = end_after > 0 ? end_after : microseconds("PROFILE_EVERY");
  if (wait <= 0) return false;
  struct sigaction action = {};
  action.sa_handler = on_timer;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  const timeval first = {wait / 1000000, wait % 1000000};
  const itimerval timer = {end_after > 0 ? timeval{} : first, first};
  return setitimer(ITIMER_PROF, &timer, nullptr) == 0;
}();

}  // namespace
