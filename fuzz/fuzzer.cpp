#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "base/log.h"
#include "fuzz/target.h"

/// The fuzzer, by libFuzzer: `fuzzer TARGET [FOLDER ...] [-OPTION=VALUE ...]`. Without arguments it
/// lists the targets.
namespace {

const ultr::fuzz::Target* chosen_target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  static const std::vector<ultr::fuzz::Target> targets = ultr::fuzz::targets();
  ultr::log().set_level(spdlog::level::off);
  const std::string_view name = *argc > 1 ? (*argv)[1] : "";
  for (const ultr::fuzz::Target& target : targets)
    if (target.name == name) chosen_target = &target;
  if (chosen_target == nullptr) {
    for (const ultr::fuzz::Target& target : targets) fmt::print("{}\n", target.name);
    std::exit(name.empty() ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  (*argv)[1] = (*argv)[0];  // libFuzzer gets the arguments after the target's name
  ++*argv, --*argc;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  chosen_target->run({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
