#include "base/stop_signals.h"

#include <optional>

#include <gtest/gtest.h>

namespace ultr::stop_signals_test {
namespace {

using Handler = void (*)(int);

Handler handler_of(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

TEST(StopSignalsTest, TheFirstIsRemembered) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const StopSignals signals;
    EXPECT_EQ(signals.received(), 0);
    std::raise(signal);
    EXPECT_EQ(signals.received(), signal);
  }
}

TEST(StopSignalsTest, TheSecondEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const int first : {SIGINT, SIGTERM})
    for (const int second : {SIGINT, SIGTERM})
      EXPECT_EXIT(
          {
            const StopSignals signals;
            std::raise(first);
            std::raise(second);
          },
          ::testing::KilledBySignal(second), "");
}

TEST(StopSignalsTest, ARequestCountsOnlyAsTheFirst) {
  request_stop(SIGTERM);
  const StopSignals signals;
  EXPECT_EQ(signals.received(), 0) << "nothing watched";
  request_stop(SIGINT);
  request_stop(SIGTERM);
  EXPECT_EQ(signals.received(), SIGINT);
}

TEST(StopSignalsTest, EarlierHandlersAreRestored) {
  const Handler before = std::signal(SIGTERM, [](int) {});
  const Handler own = handler_of(SIGTERM);
  {
    const StopSignals signals;
    EXPECT_NE(handler_of(SIGTERM), own);
    std::raise(SIGTERM);
  }
  EXPECT_EQ(handler_of(SIGTERM), own);
  EXPECT_EQ(StopSignals().received(), 0) << "what came earlier is forgotten";
  std::signal(SIGTERM, before);
}

TEST(StopSignalsTest, OneThatIsIgnoredStaysIgnored) {
  const Handler before = std::signal(SIGINT, SIG_IGN);
  {
    const StopSignals signals;
    std::raise(SIGINT);
    EXPECT_EQ(signals.received(), 0);
    std::raise(SIGTERM);
    std::raise(SIGINT);
    EXPECT_EQ(signals.received(), SIGTERM);
  }
  std::signal(SIGINT, before);
}

TEST(InterruptedTest, SaysHowToResume) {
  EXPECT_STREQ(Interrupted(SIGINT, "runs/pbm/1").what(),
               "stopped by SIGINT; to resume: ultr-run --resume runs/pbm/1");
  EXPECT_STREQ(Interrupted(SIGTERM, "my 'run'").what(),
               "stopped by SIGTERM; to resume: ultr-run --resume 'my '\\''run'\\'''");
  EXPECT_EQ(Interrupted(SIGTERM, "run").signal(), SIGTERM);
}

}  // namespace
}  // namespace ultr::stop_signals_test
