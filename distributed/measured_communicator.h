#pragma once

#include <chrono>

#include "distributed/communicator.h"

namespace ultr {

/// The messages of a process to others.
struct MessageCounts {
  double bytes = 0;    // that it sent, those to itself left out
  double seconds = 0;  // that it sent, received, and waited for others
};

/// Counts the messages of another communicator, which it uses.
class MeasuredCommunicator final : public Communicator {
 public:
  explicit MeasuredCommunicator(Communicator& processes) : processes_(processes) {}

  int process() const override { return processes_.process(); }
  int size() const override { return processes_.size(); }
  void begin_exchange(const Messages& to, Messages& from) override;
  void go_on() override;
  void finish_exchange() override;
  void gather(std::span<const std::byte> own, Messages& all) override;
  bool all_fail() override { return processes_.all_fail(); }
  [[noreturn]] void end_all(int code) override;
  void set_last_words(const std::function<bool()>& stopping,
                      const std::string& last_words) override {
    processes_.set_last_words(stopping, last_words);
  }

  const MessageCounts& counts() const { return counts_; }

 private:
  using Clock = std::chrono::steady_clock;
  void count(std::size_t bytes, Clock::time_point begun);

  Communicator& processes_;
  MessageCounts counts_;
};

/// Returns the counts of all processes: the sum of bytes, and the mean of seconds.
MessageCounts counts_of_all(Communicator& processes, const MessageCounts& own);

}  // namespace ultr
