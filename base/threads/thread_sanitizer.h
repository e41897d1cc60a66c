#pragma once

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
#endif

/// Tells the thread sanitizer of synchronisation within libraries that are not compiled with it.
/// Does nothing in other builds.
namespace ultr {

/// What this thread did before happens before what other threads do after `happens_after(place)`.
inline void happens_before([[maybe_unused]] void* place) {
#ifdef ULTR_THREAD_SANITIZER
  __tsan_release(place);
#endif
}
inline void happens_after([[maybe_unused]] void* place) {
#ifdef ULTR_THREAD_SANITIZER
  __tsan_acquire(place);
#endif
}

}  // namespace ultr
