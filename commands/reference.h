#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "experiment/registry.h"

namespace ultr {

/// Returns the pages of docs/reference in Markdown, by file name: configuration.md, one page per
/// group of types with their options, and README.md, which lists them.
std::map<std::string, std::string> reference_pages(const Registry& registry);

/// Writes the pages to a folder, which is created if it is missing. Throws DataError if that fails.
void write_reference(const Registry& registry, const std::filesystem::path& folder);

}  // namespace ultr
