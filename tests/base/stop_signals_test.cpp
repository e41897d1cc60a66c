#include "base/stop_signals.h"

#include <cerrno>
#include <optional>

#include <gtest/gtest.h>
#include <unistd.h>

namespace ultr::stop_signals_test {
namespace {

using Handler = void (*)(int);

Handler handler_of(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

TEST(StopSignalsTest, TheFirstIsRemembered) {
  const Handler before = std::signal(SIGHUP, SIG_DFL);  // nohup ignores it
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const StopSignals signals;
    EXPECT_EQ(signals.received(), 0);
    std::raise(signal);
    EXPECT_EQ(signals.received(), signal);
  }
  std::signal(SIGHUP, before);
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

TEST(StopSignalsTest, ATerminalMayCloseTwice) {
  const Handler before = std::signal(SIGHUP, SIG_DFL);
  {
    const StopSignals signals;
    std::raise(SIGHUP);
    std::raise(SIGHUP);
    EXPECT_EQ(signals.received(), SIGHUP);
  }
  std::signal(SIGHUP, before);
}

TEST(StopSignalsTest, APipeThatNobodyReadsIsAnError) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const Handler before = handler_of(SIGPIPE);
  {
    const StopSignals signals;
    EXPECT_EQ(write(ends[1], "x", 1), -1);
    EXPECT_EQ(errno, EPIPE);
    EXPECT_EQ(signals.received(), 0);
  }
  EXPECT_EQ(handler_of(SIGPIPE), before);
  close(ends[1]);
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
