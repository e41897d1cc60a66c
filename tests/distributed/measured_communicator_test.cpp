#include "distributed/measured_communicator.h"

#include <gtest/gtest.h>

#include "testing/thread_communicator.h"

namespace ultr::measured_communicator_test {
namespace {

Messages messages_of(std::initializer_list<std::size_t> sizes) {
  Messages messages;
  for (const std::size_t size : sizes) messages.emplace_back(size);
  return messages;
}

TEST(MeasuredCommunicatorTest, MessagesToOthersCount) {
  testing::ThreadCommunicators(3).run([](Communicator& processes) {
    MeasuredCommunicator measured(processes);
    EXPECT_EQ(measured.process(), processes.process());
    EXPECT_EQ(measured.size(), 3);
    Messages from;
    measured.exchange(messages_of({10, 200, 3000}), from);
    const double own[] = {10, 200, 3000};
    EXPECT_EQ(measured.counts().bytes, 3210 - own[processes.process()]);
    ASSERT_EQ(from.size(), 3u);
    for (const auto& message : from) EXPECT_EQ(message.size(), own[processes.process()]);
    measured.gather(messages_of({7}).front(), from);
    EXPECT_EQ(measured.counts().bytes, 3210 - own[processes.process()] + 14);
    EXPECT_GT(measured.counts().seconds, 0);
  });
}

TEST(MeasuredCommunicatorTest, CountsOfAllAreSumsOfBytesAndMeansOfSeconds) {
  testing::ThreadCommunicators(2).run([](Communicator& processes) {
    const MessageCounts all =
        counts_of_all(processes, {.bytes = 5, .seconds = processes.process() == 0 ? 1.0 : 3.0});
    EXPECT_EQ(all.bytes, 10);
    EXPECT_EQ(all.seconds, 2);
  });
}

}  // namespace
}  // namespace ultr::measured_communicator_test
