// Preloaded into a program (LD_PRELOAD), sends it signals by its own processor time, so that they
// hit the same phases of the program however busy the machine is. After SIGTERM_AFTER microseconds
// of processor time the program gets SIGTERM. With PROFILE_EVERY it gets SIGPROF every so many
// microseconds, as under a profiler, and does nothing about it; these are of the clock, since
// timers of processor time come only with the system's ticks, some milliseconds apart.
#include <csignal>
#include <cstdlib>
#include <ctime>

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

void send_profiling_signals(long wait) {
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGPROF;
  timer_t timer{};
  const timespec every = {wait / 1000000, wait % 1000000 * 1000};
  const itimerspec times = {every, every};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) timer_settime(timer, 0, &times, nullptr);
}

const bool started = [] {
  const long profile_every = microseconds("PROFILE_EVERY");
  if (end_after <= 0 && profile_every <= 0) return false;
  struct sigaction action = {};
  action.sa_handler = on_timer;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  if (end_after <= 0) {
    send_profiling_signals(profile_every);
    return true;
  }
  const itimerval timer = {{}, {end_after / 1000000, end_after % 1000000}};
  return setitimer(ITIMER_PROF, &timer, nullptr) == 0;
}();

}  // namespace
