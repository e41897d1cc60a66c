#include "limit.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <regex>
#include <tuple>

namespace ultr::bench {

namespace {

std::optional<double> measure(const std::string& model, std::int64_t rows, std::int64_t batch) {
  const char* program = std::getenv("ULTR_LIMIT");
  // The program takes any other name for dbn.
  if (program == nullptr || (model != "pbm" && model != "ubm" && model != "dbn"))
    return std::nullopt;
  const std::string command = std::string(program) + " bench " + model + " " +
                              std::to_string(rows) + " " + std::to_string(batch) +
                              " 1 batch SECS=1 2>/dev/null";
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

std::optional<double> limit_sessions_per_second(const std::string& model, std::int64_t rows,
                                                std::int64_t batch) {
  // A benchmark is entered several times until it has run long enough.
  static std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::optional<double>> known;
  const auto [found, is_new] = known.try_emplace({model, rows, batch});
  if (is_new) found->second = measure(model, rows, batch);
  return found->second;
}

}  // namespace ultr::bench
