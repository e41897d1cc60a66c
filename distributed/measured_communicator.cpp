#include "distributed/measured_communicator.h"

#include <cstdlib>

namespace ultr {

void MeasuredCommunicator::count(std::size_t bytes, Clock::time_point begun) {
  counts_.bytes += static_cast<double>(bytes);
  counts_.seconds += std::chrono::duration<double>(Clock::now() - begun).count();
}

void MeasuredCommunicator::end_all(int code) {
  processes_.end_all(code);
  std::abort();  // GCC does not see that the call never returns
}

void MeasuredCommunicator::begin_exchange(const Messages& to, Messages& from) {
  const Clock::time_point begun = Clock::now();
  processes_.begin_exchange(to, from);
  std::size_t bytes = 0;
  for (std::size_t r = 0; r < to.size(); ++r)
    if (static_cast<int>(r) != process()) bytes += to[r].size();
  count(bytes, begun);
}

void MeasuredCommunicator::go_on() {
  const Clock::time_point begun = Clock::now();
  processes_.go_on();
  count(0, begun);
}

void MeasuredCommunicator::finish_exchange() {
  const Clock::time_point begun = Clock::now();
  processes_.finish_exchange();
  count(0, begun);
}

void MeasuredCommunicator::gather(std::span<const std::byte> own, Messages& all) {
  const Clock::time_point begun = Clock::now();
  processes_.gather(own, all);
  count(own.size() * static_cast<std::size_t>(size() - 1), begun);
}

MessageCounts counts_of_all(Communicator& processes, const MessageCounts& own) {
  MessageCounts all;
  for (const MessageCounts& one : gather_all(processes, std::span<const MessageCounts>(&own, 1))) {
    all.bytes += one.bytes;
    all.seconds += one.seconds / processes.size();
  }
  return all;
}

}  // namespace ultr
