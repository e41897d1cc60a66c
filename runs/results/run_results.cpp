#include "runs/results/run_results.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text/quote.h"
#include "runs/results/bounded_json.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

bool is_on_disk(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string text_of(const ConfigNode& node) {
  if (node.kind == ConfigNode::Kind::empty) return "null";
  if (node.kind == ConfigNode::Kind::scalar) return node.scalar;
  std::vector<std::string> items;
  for (const ConfigNode& item : node.items) items.push_back(text_of(item));
  for (const auto& [key, value] : node.entries) items.push_back(key + ": " + text_of(value));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

/// The name of what is called `key` within `name`.
std::string dotted(const std::string& name, const std::string& key) {
  return name.empty() ? key : fmt::format("{}.{}", name, key);
}

void flatten(const ConfigNode& node, const std::string& name, OptionValues& into) {
  if (node.kind != ConfigNode::Kind::map) {
    into.emplace_back(name, text_of(node));
    return;
  }
  for (const auto& [key, value] : node.entries) flatten(value, dotted(name, key), into);
}

void flatten(const nlohmann::json& json, const std::string& name,
             std::map<std::string, double>& into) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) flatten(value, dotted(name, key), into);
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i)
      flatten(json[i], dotted(name, std::to_string(i + 1)), into);
  } else if (json.is_number()) {
    into[name] = json.get<double>();
  } else if (json.is_null()) {
    into[name] = std::numeric_limits<double>::quiet_NaN();
  }
}

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (stream.peek() != std::ifstream::traits_type::eof()) text << stream.rdbuf();
  if (!stream.is_open() || stream.bad())
    throw DataError(fmt::format("{}: cannot be read; expected a run's file", file.string()));
  return text.str();
}

std::map<std::string, double> read_metrics(const fs::path& file) {
  std::map<std::string, double> metrics;
  try {
    const nlohmann::json json = read_bounded_json(file);
    if (!json.is_object())
      throw DataError(file.string() + ": is damaged; expected a JSON object with a run's results");
    flatten(json, "", metrics);
  } catch (const nlohmann::json::parse_error& error) {
    throw DataError(fmt::format("{}: is damaged at byte {}; expected JSON with a run's results",
                                file.string(), error.byte));
  } catch (const nlohmann::json::exception&) {  // a number that no double can hold
    throw DataError(file.string() + ": is damaged; expected JSON with a run's results");
  }
  return metrics;
}

RunResults read_run(const fs::path& folder, bool given) {
  RunResults run{.folder = folder, .name = {}, .options = {}};
  const ConfigNode config = read_config(folder / config_file);
  run.options = result_options(config);
  if (const ConfigNode* name = config.find("name")) run.name = name->scalar;
  const ConfigNode* seed = config.find("seed");
  const std::string& number = seed == nullptr ? std::string() : seed->scalar;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), run.seed);
  if (error != std::errc() || end != number.data() + number.size())
    throw ConfigError(
        fmt::format("{}: seed is {}; expected a resolved configuration with a whole "
                    "number",
                    (folder / config_file).string(), quote(number, 60)));

  if (is_on_disk(folder / results_file)) {
    run.metrics = read_metrics(folder / results_file);
  } else if (is_on_disk(folder / failure_file)) {
    run.failure = read_text(folder / failure_file);
    while (run.failure.ends_with('\n')) run.failure.pop_back();
  } else if (given) {
    throw DataError(
        fmt::format("{}: there is no such file; expected the results of a run that "
                    "finished",
                    (folder / results_file).string()));
  } else {
    run.failure = "did not finish";
  }
  return run;
}

std::vector<fs::path> runs_in(const fs::path& folder) {
  std::vector<fs::path> runs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (is_on_disk(entry.path() / config_file)) runs.push_back(entry.path());
  if (error)
    throw DataError(fmt::format("{}: cannot be read ({})", folder.string(), error.message()));
  std::sort(runs.begin(), runs.end(), [](const fs::path& a, const fs::path& b) {
    return strverscmp(a.filename().c_str(), b.filename().c_str()) < 0;  // run2 before run10
  });
  return runs;
}

}  // namespace

OptionValues result_options(const ConfigNode& config) {
  OptionValues all, options;
  flatten(config, "", all);
  for (auto& [name, value] : all)
    if (name != "seed" && name != "name" && name != "output" && name != "threads" &&
        !name.starts_with("checkpoint.") && !name.starts_with("report."))
      options.emplace_back(std::move(name), std::move(value));
  return options;
}

std::vector<RunResults> read_runs(std::span<const fs::path> folders) {
  std::vector<RunResults> runs;
  const auto add = [&](const fs::path& folder, bool given) {
    std::error_code ignored;
    for (const RunResults& run : runs)
      if (fs::equivalent(run.folder, folder, ignored))
        throw ConfigError(folder.string() + ": is given twice; expected different runs");
    runs.push_back(read_run(folder, given));
  };
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
      throw ConfigError(fmt::format("{}: {}; expected the folder of a run or a sweep",
                                    folder.string(),
                                    is_on_disk(folder) ? "is a file" : "there is no such folder"));
    if (is_on_disk(folder / config_file)) {
      add(folder, true);
      continue;
    }
    const std::vector<fs::path> inside = runs_in(folder);
    if (inside.empty())
      throw ConfigError(fmt::format(
          "{}: has no {}, nor has a folder in it; expected the folder of a run or a sweep",
          folder.string(), config_file));
    for (const fs::path& run : inside) add(run, false);
  }
  return runs;
}

}  // namespace ultr
