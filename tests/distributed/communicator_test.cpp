#include "distributed/communicator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "options/config_tree.h"
#include "testing/errors.h"
#include "testing/thread_communicator.h"

namespace ultr::communicator_test {
namespace {

using ::testing::ElementsAre;

TEST(CommunicatorTest, AMessageIsReadInTheOrderOfWriting) {
  std::vector<std::byte> message;
  append(message, 7);
  append(message, std::span<const float>(std::array{1.0f, 2.0f}));
  append(message, 0.5);
  MessageReader reader(message);
  EXPECT_EQ(reader.read<int>(), 7);
  std::vector<float> floats;
  reader.read(floats, 2);
  EXPECT_THAT(floats, ElementsAre(1.0f, 2.0f));
  EXPECT_EQ(reader.read<double>(), 0.5);
  EXPECT_EQ(reader.bytes_left(), 0u);
  EXPECT_THROW(reader.read<char>(), Error);
}

TEST(CommunicatorTest, GatherAllGivesEachTheNumbersOfAllByRank) {
  testing::ThreadCommunicators(3).run([](Communicator& processes) {
    const std::vector<int> own(static_cast<std::size_t>(processes.process()), processes.process());
    EXPECT_THAT(gather_all(processes, std::span<const int>(own)), ElementsAre(1, 2, 2));
  });
}

TEST(CommunicatorTest, ATextComesFromTheFirst) {
  testing::ThreadCommunicators(3).run([](Communicator& processes) {
    EXPECT_EQ(broadcast_from_first(processes, "of " + std::to_string(processes.process())), "of 0");
  });
}

TEST(CommunicatorTest, TextsMustBeTheSameInAll) {
  const auto message_of = [](const std::vector<std::string>& of_last) {
    std::array<std::string, 3> messages;
    testing::ThreadCommunicators(3).run([&](Communicator& processes) {
      const auto texts =
          processes.process() == 2 ? of_last : std::vector<std::string>{"a=1", "", "b=2"};
      try {
        expect_same(processes, texts);
      } catch (const DataError& error) {
        messages[static_cast<std::size_t>(processes.process())] = error.what();
      }
    });
    EXPECT_THAT(messages, ::testing::Each(messages.front()));
    return messages.front();
  };
  EXPECT_EQ(message_of({"a=1", "", "b=2"}), "");
  EXPECT_EQ(message_of({"a=1", "", "b=3"}), "process 2 has b=3; expected b=2, as process 0 has");
  EXPECT_EQ(message_of({"a=1", ""}), "process 2 has nothing; expected b=2, as process 0 has");
  EXPECT_EQ(message_of({"a=1", "", "b=2", "c"}),
            "process 2 has c; expected nothing, as process 0 has");
}

TEST(CommunicatorTest, AFailureInOneProcessFailsAllAlike) {
  const auto outcome_of = [](const auto& fail) {
    std::array<std::string, 3> outcomes;
    testing::ThreadCommunicators(3).run([&](Communicator& processes) {
      std::string& outcome = outcomes[static_cast<std::size_t>(processes.process())];
      try {
        run_in_all_processes(&processes, [&] {
          if (processes.process() > 0) fail("rank " + std::to_string(processes.process()));
        });
        outcome = "done";
      } catch (const ConfigError& error) {
        outcome = std::string("config: ") + error.what();
      } catch (const DataError& error) {
        outcome = std::string("data: ") + error.what();
      } catch (const Error& error) {
        outcome = std::string("error: ") + error.what();
      }
    });
    return outcomes;
  };
  EXPECT_THAT(outcome_of([](const std::string&) {}), ::testing::Each("done"));
  EXPECT_THAT(outcome_of([](const std::string& text) { throw ConfigError(text); }),
              ::testing::Each("config: rank 1"));
  EXPECT_THAT(outcome_of([](const std::string& text) { throw DataError(text); }),
              ::testing::Each("data: rank 1"));
  EXPECT_THAT(outcome_of([](const std::string& text) { throw std::runtime_error(text); }),
              ::testing::Each("error: rank 1"));
}

TEST(CommunicatorTest, OneProcessAloneJustWorks) {
  int calls = 0;
  run_in_all_processes(nullptr, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace ultr::communicator_test
