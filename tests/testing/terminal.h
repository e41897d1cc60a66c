#pragma once

#include <array>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

namespace ultr::testing {

/// Returns the text that `use(terminal)` writes to a terminal.
template <class Use>
std::string shown_on_terminal(Use use) {
  int reader = 0, terminal = 0;
  EXPECT_EQ(openpty(&reader, &terminal, nullptr, nullptr, nullptr), 0);
  std::FILE* file = fdopen(terminal, "w");
  use(file);
  std::fclose(file);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t size = 0; (size = ::read(reader, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(size));
  ::close(reader);
  return text;
}

}  // namespace ultr::testing
