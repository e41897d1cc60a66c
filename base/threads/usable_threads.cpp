#include "base/threads/usable_threads.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <system_error>
#include <vector>

#include "base/log.h"

namespace ultr {

int usable_threads(int wanted, const StartThread& start) {
  std::atomic<bool> ends = false;
  std::vector<std::thread> threads;
  const auto most = static_cast<std::size_t>(2 * (std::max(wanted, 1) - 1));
  threads.reserve(most);
  try {
    while (threads.size() < most) threads.push_back(start([&] { ends.wait(false); }));
  } catch (const std::system_error&) {  // these are all
  }
  ends = true;
  ends.notify_all();
  for (std::thread& thread : threads) thread.join();
  return 1 + static_cast<int>(threads.size() / 2);
}

int usable_threads(int wanted) {
  static std::mutex mutex;
  static std::map<int, int> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(wanted);
  if (found != known.end()) return found->second;
  const int usable =
      usable_threads(wanted, [](const std::function<void()>& work) { return std::thread(work); });
  if (usable < wanted)
    log().warn("the system lets this process start {} of {} threads; results do not depend on it",
               usable, wanted);
  return known[wanted] = usable;
}

}  // namespace ultr
