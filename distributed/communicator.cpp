#include "distributed/communicator.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/core.h>

#include "base/error.h"

namespace ultr {
namespace {

enum class Failure : std::uint8_t { none, config, data, other };

}  // namespace

void Communicator::end_all(int code) { std::exit(code); }

void Communicator::set_last_words(const std::function<bool()>&, const std::string&) {}

std::span<const std::byte> MessageReader::take(std::size_t bytes) {
  if (bytes > left_.size()) throw Error("a message of another process ends too early");
  const auto taken = left_.first(bytes);
  left_ = left_.subspan(bytes);
  return taken;
}

std::string broadcast_from_first(Communicator& processes, const std::string& text) {
  Messages all;
  processes.gather(
      processes.process() == 0 ? std::as_bytes(std::span(text)) : std::span<const std::byte>(),
      all);
  return {reinterpret_cast<const char*>(all[0].data()), all[0].size()};
}

void expect_same(Communicator& processes, const std::vector<std::string>& texts) {
  std::vector<std::byte> own;
  for (const std::string& text : texts) {
    append(own, text.size());
    append(own, std::span<const char>(text));
  }
  Messages all;
  processes.gather(own, all);
  std::vector<std::string> first;
  for (std::size_t r = 0; r < all.size(); ++r) {
    std::vector<std::string> theirs;
    for (MessageReader reader(all[r]); reader.bytes_left() > 0;) {
      theirs.emplace_back(reader.read<std::size_t>(), '\0');
      reader.read(std::span<char>(theirs.back()));
    }
    if (r == 0) first = theirs;
    const auto [expected, found] =
        std::mismatch(first.begin(), first.end(), theirs.begin(), theirs.end());
    if (expected == first.end() && found == theirs.end()) continue;
    throw DataError(fmt::format("process {} has {}; expected {}, as process 0 has", r,
                                found == theirs.end() ? "nothing" : *found,
                                expected == first.end() ? "nothing" : *expected));
  }
}

void run_in_all_processes(Communicator* processes, const std::function<void()>& work) {
  if (processes == nullptr) {
    work();
    return;
  }
  auto failure = Failure::none;
  std::string reason;
  try {
    work();
  } catch (const std::exception& error) {
    failure = dynamic_cast<const ConfigError*>(&error) != nullptr ? Failure::config
              : dynamic_cast<const DataError*>(&error) != nullptr ? Failure::data
                                                                  : Failure::other;
    reason = error.what();
  }
  std::vector<std::byte> outcome;
  append(outcome, failure);
  append(outcome, std::span<const char>(reason));
  Messages all;
  processes->gather(outcome, all);
  for (const auto& message : all) {
    MessageReader reader(message);
    const auto theirs = reader.read<Failure>();
    std::string text(reader.bytes_left(), '\0');
    reader.read(std::span<char>(text));
    if (theirs == Failure::config) throw ConfigError(text);
    if (theirs == Failure::data) throw DataError(text);
    if (theirs == Failure::other) throw Error(text);
  }
}

}  // namespace ultr
