#include "base/files/truncation_guard.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>

#include <fmt/format.h>
#include <unistd.h>

namespace ultr {
namespace {

/// A mapped file, as a signal handler can look it up. A slot without a message is free.
struct GuardedBytes {
  std::atomic<std::uintptr_t> begin = 0, end = 0;
  std::atomic<const std::string*> message = nullptr;
};

/// Global, since a signal handler has no other place to look.
std::array<GuardedBytes, 4096> guarded;
struct sigaction before_guards;

void end_if_truncated(int, siginfo_t* what, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(what->si_addr);
  for (const GuardedBytes& bytes : guarded) {
    const std::string* const message = bytes.message;
    if (message == nullptr || address < bytes.begin || address >= bytes.end) continue;
    static_cast<void>(!write(STDERR_FILENO, message->data(), message->size()));
    _exit(3);
  }
  sigaction(SIGBUS, &before_guards, nullptr);  // the access fails again, as without guards
}

void watch_accesses() {
  struct sigaction action = {};
  action.sa_sigaction = end_if_truncated;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &before_guards);
}

}  // namespace

TruncationGuard::TruncationGuard(const std::filesystem::path& file, const void* bytes,
                                 std::size_t count)
    : message_(fmt::format("error: {}: was truncated while it was in use; expected a file that "
                           "stays as it is\n",
                           file.string())),
      slot_(0) {
  static std::once_flag watched;
  std::call_once(watched, watch_accesses);
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes);
  for (; slot_ < guarded.size(); ++slot_) {
    const std::string* none = nullptr;
    if (!guarded[slot_].message.compare_exchange_strong(none, &message_)) continue;
    guarded[slot_].begin = begin;
    guarded[slot_].end = begin + count;
    return;
  }
}

TruncationGuard::~TruncationGuard() {
  if (slot_ == guarded.size()) return;
  guarded[slot_].end = 0;
  guarded[slot_].message = nullptr;
}

}  // namespace ultr
