// Preloaded into a program (LD_PRELOAD), lets it have at most THREAD_LIMIT threads beside its first
// at a time, as a limit of the system does (ulimit -u), which does not hold for a superuser.
#include <atomic>
#include <cerrno>
#include <memory>

#include <pthread.h>

#include "preload/interposed.h"

namespace {

std::atomic<int> running = 0;

/// Runs the function of a thread. It counts as running for as long as this exists.
struct Work {
  void* (*function)(void*);
  void* argument;

  ~Work() { --running; }
};

void* run(void* work) {
  const std::unique_ptr<Work> owned(static_cast<Work*>(work));
  return owned->function(owned->argument);
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*function)(void*), void* argument) noexcept {
  const std::string limit = ultr::preload::variable("THREAD_LIMIT");
  if (++running > std::atoi(limit.c_str()) && !limit.empty()) {
    --running;
    return EAGAIN;
  }
  auto work = std::unique_ptr<Work>(new Work{function, argument});
  const int error =
      ultr::preload::next("pthread_create", &pthread_create)(thread, attributes, &run, work.get());
  if (error == 0) static_cast<void>(work.release());
  return error;
}
