#include "base/stop_signals.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstring>
#include <string>

#include <fmt/core.h>

namespace ultr {
namespace {

/// Global, since a signal handler has no other place to report to.
std::atomic<int> received_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

bool is_first(int signal) noexcept {
  int none = 0;
  return received_signal.compare_exchange_strong(none, signal);
}

constexpr std::array watched_signals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
/// The actions that the process had for them before.
std::array<struct sigaction, watched_signals.size()> usual_actions;

void remember_first(int signal) {
  if (is_first(signal) || signal == SIGHUP) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // ends the process when this handler returns
}

/// Watches a signal, and notes what the process did with it before.
void watch(int signal, struct sigaction& before) {
  struct sigaction action = {};
  action.sa_handler = signal == SIGPIPE ? SIG_IGN : remember_first;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int other : watched_signals) sigaddset(&action.sa_mask, other);
  sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
}

/// Returns a path as a word of the shell, quoted if necessary.
std::string shell_word(const std::string& path) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::strchr("_./=,+-:@%", c) != nullptr;
  };
  if (!path.empty() && std::all_of(path.begin(), path.end(), plain)) return path;
  std::string word = "'";
  for (const char c : path) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace

std::string command_to_resume(const std::filesystem::path& folder, int processes) {
  return fmt::format("{}ultr-run --resume {}",
                     processes > 1 ? fmt::format("mpirun -n {} ", processes) : "",
                     shell_word(folder.string()));
}

Interrupted::Interrupted(const std::string& then, int signal)
    : Error(fmt::format("stopped by SIG{}; {}", sigabbrev_np(signal), then)), signal_(signal) {}

Interrupted::Interrupted(int signal, const std::filesystem::path& folder, int processes)
    : Interrupted("to resume: " + command_to_resume(folder, processes), signal) {}

Interrupted Interrupted::for_good(int signal) { return {"nothing was written", signal}; }

StopSignals::StopSignals() {
  received_signal = 0;
  for (std::size_t i = 0; i < watched_signals.size(); ++i)
    watch(watched_signals[i], usual_actions[i]);
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < watched_signals.size(); ++i)
    sigaction(watched_signals[i], &usual_actions[i], nullptr);
}

int StopSignals::received() const { return received_signal; }

void StopSignals::expect_none() const {
  if (received() != 0) throw Interrupted::for_good(received());
}

void request_stop(int signal) noexcept { static_cast<void>(is_first(signal)); }

}  // namespace ultr
