#include "data/simulation/simulate_sessions.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "data/log/parallel_shards.h"

namespace ultr {

DrawLists one_by_one(DrawList draw) {
  return [draw = std::move(draw)](std::uint64_t first, std::size_t count, SessionLog& log) {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint16_t> positions;
    std::vector<std::uint8_t> clicks;
    for (std::uint64_t session = first; session < first + count; ++session) {
      const std::uint64_t query = draw(session, rows);
      positions.resize(rows.size());
      std::iota(positions.begin(), positions.end(), std::uint16_t{0});
      clicks.assign(rows.size(), 0);
      log.add({.rows = rows, .positions = positions, .clicks = clicks, .query = query});
    }
  };
}

void simulate_sessions(const SessionSimulation& simulation,
                       const std::function<void(const SessionLog& block)>& take) {
  constexpr std::uint64_t blocks_at_once = 64;
  std::vector<SimulatedUser> user_of(static_cast<std::size_t>(simulation.threads));
  for (SimulatedUser& user : user_of) user = simulation.users();
  const std::uint64_t blocks = shards_of(simulation.sessions);
  std::vector<SessionLog> made;
  for (std::uint64_t done = 0; done < blocks; done += made.size()) {
    made.assign(std::min(blocks_at_once, blocks - done), {});
    for_each_item(simulation.threads, made.size(), [&](std::size_t worker, std::size_t b) {
      const std::uint64_t begin = (done + b) * shard_sessions;
      const std::uint64_t first = simulation.first + begin;
      simulation.draw(first, std::min<std::size_t>(shard_sessions, simulation.sessions - begin),
                      made[b]);
      user_of[worker](made[b], first);
      if (simulation.finish) simulation.finish(worker, first, made[b]);
    });
    for (const SessionLog& block : made) take(block);
  }
}

}  // namespace ultr
