#pragma once

/// Tells the thread sanitizer of synchronisation within libraries that are not compiled with it.
/// Does nothing in other builds.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ULTR_THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_THREAD__)
#define ULTR_THREAD_SANITIZER
#endif

#ifdef ULTR_THREAD_SANITIZER
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);
/// Marks a function that reads what such a library has handed over before it can say so.
#define ULTR_UNSEEN_BY_THREAD_SANITIZER __attribute__((no_sanitize("thread")))
#else
#define ULTR_UNSEEN_BY_THREAD_SANITIZER
#endif

namespace ultr {

/// Lets what this thread did come before what others do after `happens_after(place)`.
inline void happens_before([[maybe_unused]] void* place) {
#ifdef ULTR_THREAD_SANITIZER
  __tsan_release(place);
#endif
}
/// Lets what threads did before `happens_before(place)` come before what this one does next.
inline void happens_after([[maybe_unused]] void* place) {
#ifdef ULTR_THREAD_SANITIZER
  __tsan_acquire(place);
#endif
}

}  // namespace ultr
