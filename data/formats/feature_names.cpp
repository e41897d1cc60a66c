#include "data/formats/feature_names.h"

#include <set>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/text/quote.h"
#include "data/text/line_fields.h"

namespace ultr {

std::vector<std::string> read_feature_names(const std::filesystem::path& file,
                                            std::size_t features) {
  std::vector<std::string> names;
  std::set<std::string, std::less<>> known;
  for_each_line(file, {}, [&](std::string_view line, std::uint64_t) {
    if (!known.emplace(line).second)
      throw DataError(
          fmt::format("the name {} again; expected another one for each feature", quote(line, 40)));
    names.emplace_back(line);
  });
  if (names.size() != features)
    throw DataError(fmt::format("{}: {} names; expected one line for each of the {} features",
                                file.string(), names.size(), features));
  return names;
}

void write_feature_names(const std::filesystem::path& file, const std::vector<std::string>& names) {
  write_file(file, fmt::format("{}\n", fmt::join(names, "\n")));
}

std::vector<std::string> relevance_names(const std::vector<std::string>& names,
                                         const BiasColumns& bias) {
  if (names.empty() || bias.empty()) return names;
  std::vector<std::string> kept;
  for (const std::size_t column : bias.order().first(bias.order().size() - bias.count()))
    kept.push_back(names[column]);
  return kept;
}

}  // namespace ultr
