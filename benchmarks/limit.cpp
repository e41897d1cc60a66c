#include "limit.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <regex>

#include <fmt/core.h>

namespace ultr::bench {

namespace {

std::optional<double> measure(const LimitStep& step) {
  const char* program = std::getenv("ULTR_LIMIT");
  // The program runs dbn for any other name.
  if (program == nullptr || (step.model != "pbm" && step.model != "ubm" && step.model != "dbn") ||
      step.threads > 2)
    return std::nullopt;
  const std::string command = fmt::format("{} bench {} {} {} {} batch SECS=1 2>/dev/null", program,
                                          step.model, step.rows, step.batch, step.threads);
  const auto close = [](std::FILE* pipe) { pclose(pipe); };
  const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
  std::string output;
  std::array<char, 512> buffer;
  while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr)
    output += buffer.data();
  std::smatch found;
  if (!std::regex_search(output, found, std::regex("median ([0-9.]+) M sessions/s")))
    return std::nullopt;
  return std::stod(found[1].str()) * 1e6;
}

}  // namespace

std::optional<double> limit_sessions_per_second(const LimitStep& step) {
  // Google Benchmark enters a benchmark several times until it has run long enough.
  static std::map<LimitStep, std::optional<double>> known;
  const auto [found, is_new] = known.try_emplace(step);
  if (is_new) found->second = measure(step);
  return found->second;
}

}  // namespace ultr::bench
