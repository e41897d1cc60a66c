#pragma once

#include <string>

#include <yaml-cpp/emitter.h>

namespace ultr {

/// A text to write as YAML: in quotes if asked to, or if another text would be read without them.
/// yaml-cpp sees to that itself, but for carriage returns.
struct YamlText {
  const std::string& text;
  bool quoted = false;
};

inline YAML::Emitter& operator<<(YAML::Emitter& out, const YamlText& written) {
  if (written.quoted || written.text.find('\r') != std::string::npos) out << YAML::DoubleQuoted;
  return out << written.text;
}

}  // namespace ultr
