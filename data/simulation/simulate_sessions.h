#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "data/log/session_log.h"
#include "data/simulation/simulated_user.h"

namespace ultr {

/// Draws the list that a session shows: sets `rows` to its documents, from the top, and returns its
/// query. The list must be a function of the seed and the session's number alone.
using DrawList =
    std::function<std::uint64_t(std::uint64_t session, std::vector<std::uint32_t>& rows)>;

/// Appends the lists of `count` sessions to a log, without clicks. The first session has the number
/// `first`. Each list must be a function of the seed and its session's number alone.
using DrawLists = std::function<void(std::uint64_t first, std::size_t count, SessionLog& log)>;

/// Returns a function that draws lists one by one.
DrawLists one_by_one(DrawList draw);

/// A simulated click log: lists are drawn, then users click.
struct SessionSimulation {
  std::uint64_t first = 0, sessions = 1;  // number of the first session, and their count
  int threads = 1;                        // the log is bit-identical for any number
  DrawLists draw;
  SimulatedUsers users;
  /// Changes a block of sessions, numbered from `first`, after its clicks. Runs on all threads, but
  /// calls of one worker, from 0 to threads - 1, do not overlap.
  std::function<void(std::size_t worker, std::uint64_t first, SessionLog& block)> finish = {};
};

/// Simulates sessions in parallel and calls `take` with blocks of them, in order. Memory does not
/// grow with the number of sessions.
void simulate_sessions(const SessionSimulation& simulation,
                       const std::function<void(const SessionLog& block)>& take);

}  // namespace ultr
