#include "data/log/id_names.h"

#include <fstream>

#include <fmt/core.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/text/quote.h"
#include "base/text/short_texts.h"
#include "base/text/text_hash.h"

namespace ultr {
namespace {

constexpr std::uint64_t number_bits = 0xffffffffu;       // of the number of a name in its entry
constexpr std::uint64_t named = std::uint64_t{1} << 63;  // bit of ids that are hashes

/// Parses a whole number without leading zeros. Returns false for any other text.
bool parse_number_id(std::string_view text, std::uint64_t& id) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return false;
  if (text[0] == '0' && text.size() > 1) return false;
  return parse_digits(text, text.size(), id);
}

void append_escaped(std::string_view name, std::string& line) {
  for (const char c : name) {
    if (c == '\n')
      line += "\\n";
    else if (c == '\r')
      line += "\\r";
    else if (c == '\\')
      line += "\\\\";
    else
      line += c;
  }
}

std::string unescaped(std::string_view line) {
  std::string name;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\' || i + 1 == line.size()) {
      name += line[i];
      continue;
    }
    ++i;
    name += line[i] == 'n' ? '\n' : line[i] == 'r' ? '\r' : line[i];
  }
  return name;
}

}  // namespace

IdNames::Key IdNames::Key::of(std::string_view text) {
  Key key;
  key.is_number = parse_number_id(text, key.id);
  if (key.is_number) return key;
  key.id = hash_text(text) | named;
  key.check = hash_text(text, 1) & ~number_bits;
  return key;
}

std::uint64_t IdNames::id_of(std::string_view text) {
  std::uint64_t id = 0;
  return parse_number_id(text, id) ? id : hash_text(text) | named;
}

std::uint64_t IdNames::add(std::string_view text) {
  const Key key = Key::of(text);
  add(key, text);
  return key.id;
}

void IdNames::add(const Key& key, std::string_view text) {
  if (key.is_number) return;
  if (starts_.size() > number_bits) throw DataError("2^32 names; expected fewer");
  // The check stands for the text, whose memory is then not read.
  const std::uint64_t entry = starts_.size() | key.check;
  const std::uint64_t found = numbers_.find_or_add(key.id, entry);
  if (found == entry) {
    starts_.push_back(text_.size());
    text_ += text;
  } else if ((found & ~number_bits) != key.check) {
    throw DataError(
        fmt::format("{} has the same 64-bit hash as {}; expected names without collisions: rename "
                    "one of them",
                    quote(text, 60), quote(name(found & number_bits), 60)));
  }
}

void IdNames::add(const IdNames& other) {
  for (std::size_t number = 0; number < other.size(); ++number) add(other.name(number));
}

std::string IdNames::text(std::uint64_t id) const {
  std::string memory;
  return std::string(text(id, memory));
}

std::string_view IdNames::text(std::uint64_t id, std::string& memory) const {
  const std::uint64_t found = numbers_.find(id);
  if (found != KeyIndex::none) return name(found & number_bits);
  return memory = std::to_string(id);
}

std::string_view IdNames::name(std::size_t number) const {
  const std::size_t end = number + 1 < starts_.size() ? starts_[number + 1] : text_.size();
  return std::string_view(text_).substr(starts_[number], end - starts_[number]);
}

void IdNames::save(const std::filesystem::path& folder) const {
  constexpr std::size_t most_buffered = std::size_t{1} << 20;
  if (empty()) return;
  NewFile file(folder / file_name);
  std::string lines;
  for (std::size_t number = 0; number < size(); ++number) {
    append_escaped(name(number), lines);
    lines += '\n';
    if (lines.size() < most_buffered) continue;
    file.write(lines);
    lines.clear();
  }
  file.write(lines);
  file.finish();
}

IdNames IdNames::load(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / file_name;
  IdNames names;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return names;
  std::ifstream lines(file, std::ios::binary);
  for (std::string line; std::getline(lines, line);) {
    if (lines.eof())
      throw DataError(
          fmt::format("{}: is truncated: the last of {} lines does not end; expected "
                      "the whole file",
                      file.string(), names.size() + 1));
    names.add(unescaped(line));
  }
  if (lines.bad() || !lines.eof())
    throw DataError(
        fmt::format("{}: cannot be read; expected a file with one name per line", file.string()));
  return names;
}

}  // namespace ultr
