#include "runs/saved_model.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <fmt/core.h>

#include "base/error.h"
#include "base/files/npy.h"
#include "base/text/quote.h"
#include "data/formats/feature_names.h"
#include "dsl/divided_model.h"
#include "experiment/data_options.h"
#include "experiment/resolve_options.h"
#include "experiment/run_directory.h"
#include "options/config_tree.h"
#include "runs/results/bounded_json.h"
#include "training/run_files.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

void expect_run(const fs::path& run) {
  std::error_code ignored;
  if (!fs::is_directory(run, ignored))
    throw DataError(
        fmt::format("{}: there is no such folder; expected that of a run", run.string()));
  for (const char* file : {"config.yaml", "model/model.json"})
    if (!fs::exists(run / file, ignored))
      throw DataError(
          fmt::format("{}: has no {}; expected the folder of a finished run", run.string(), file));
}

/// Calls `make` and rethrows a ConfigError as DataError: the configuration of a saved run is data
/// here.
template <class Make>
auto as_data(const fs::path& run, Make make) {
  try {
    return make();
  } catch (const ConfigError& error) {
    throw DataError(fmt::format("{}: {}", run.string(), error.what()));
  }
}

ExperimentOptions saved_options(const fs::path& run, Registry& registry) {
  expect_run(run);
  return as_data(run, [&] {
    ExperimentOptions options = resolve_saved_options(run, registry);
    options.expect_model();
    return options;
  });
}

nlohmann::json read_json(const fs::path& file) {
  nlohmann::json read;
  try {
    read = read_bounded_json(file);
  } catch (const nlohmann::json::exception&) {
  }
  if (!read.is_object())
    throw DataError(fmt::format("{}: is not a JSON object; expected the description of a model",
                                file.string()));
  return read;
}

std::int64_t count_in(const nlohmann::json& description, const char* key, const fs::path& file,
                      std::int64_t most) {
  const auto found = description.find(key);
  if (found == description.end() || !found->is_number_integer() || *found < 1 || *found > most)
    throw DataError(fmt::format("{}: {} is {}; expected a whole number from 1 to {}", file.string(),
                                key, found == description.end() ? "missing" : found->dump(), most));
  return found->get<std::int64_t>();
}

std::optional<FeatureScaling> saved_scaling(const fs::path& run, const ExperimentOptions& options) {
  const FeatureScalingOptions* scaling = options.data.as<DataOptions>().scaling();
  if (scaling == nullptr) return std::nullopt;
  return FeatureScaling::load(run / "model" / feature_scaling_file, *scaling);
}

std::vector<std::string> saved_feature_names(const fs::path& run, std::size_t features) {
  const fs::path file = run / "model" / feature_names_file;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  return read_feature_names(file, features);
}

Vocabulary saved_vocabulary(const fs::path& run) {
  const fs::path file = run / "model" / vocabulary_file;
  std::error_code ignored;
  return fs::exists(file, ignored) ? Vocabulary::load(file) : Vocabulary();
}

std::string shape(std::size_t rows, std::size_t columns) {
  return columns == 0 ? fmt::format("[{}]", rows) : fmt::format("[{}, {}]", rows, columns);
}

/// Reads the values of a parameter. Of a table that is divided over processes, which `divided` is
/// then, these are the rows that this one holds.
void load_parameter(const fs::path& folder, Parameter& parameter, const DividedTable* divided,
                    const ModelSetting& setting) {
  const RowPart part = divided == nullptr ? RowPart() : setting.part();
  const std::int64_t pairs = divided == nullptr ? parameter.rows() : setting.rows,
                     rows_per_pair = divided == nullptr ? 1 : divided->rows_per_pair;
  const fs::path file = folder / (parameter.name() + ".npy");
  const MappedNpy<float> saved = map_npy<float>(file);
  const std::size_t columns = saved.columns.value_or(0);
  const std::string found =
      shape(columns == 0 ? saved.values.size() : saved.values.size() / columns, columns);
  const auto width = static_cast<std::size_t>(parameter.columns());
  const std::string expected =
      shape(static_cast<std::size_t>(pairs * rows_per_pair), width == 1 ? 0 : width);
  if (found != expected)
    throw DataError(fmt::format("{}: is {}; expected {}, as the run's configuration says",
                                file.string(), found, expected));
  for (std::int64_t held = 0; part.row(held) < pairs; ++held)
    for (std::int64_t i = 0; i < rows_per_pair; ++i) {
      const std::size_t from = static_cast<std::size_t>(part.row(held) * rows_per_pair + i) * width;
      const std::span<float> row = parameter.row(held * rows_per_pair + i);
      for (std::size_t c = 0; c < width; ++c) {
        row[c] = saved.values[from + c];
        if (!std::isfinite(row[c]))
          throw DataError(fmt::format("{}: entry {} is {}; expected a finite number", file.string(),
                                      from + c, row[c]));
      }
    }
}

/// Returns the largest number of tokens that a saved table of words knows; 0 if none is saved.
std::int64_t tokens_of_saved_tables(const fs::path& folder) {
  std::int64_t most = 0;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().filename().string().ends_with(".words.npy")) {
      const MappedNpy<float> table = map_npy<float>(entry->path());
      most = std::max(
          most, static_cast<std::int64_t>(table.values.size() /
                                          std::max<std::size_t>(1, table.columns.value_or(1))));
    }
  return most;
}

/// The vocabulary that model.json describes, and the number of tokens to build the model for: no
/// more than its files bear out, and one beyond, lest a number without its table takes all memory.
struct DescribedVocabulary {
  std::int64_t described, saved, built;

  DescribedVocabulary(const nlohmann::json& description, const fs::path& file)
      : described(count_in(description, "vocabulary", file, 1 << 30)),
        saved(tokens_of_saved_tables(file.parent_path())),
        built(std::min(described, std::max(saved, most_without_table) + 1)) {}

  /// Throws DataError if the model has a table of the described vocabulary, which is not the saved
  /// one. A model may read fewer tokens than its data have, or none.
  void expect_saved(const TrainableModel& model, const fs::path& file) const {
    if (built == described || saved == 0) return;
    for (const Parameter* parameter : model.parameters())
      if (parameter->name().ends_with(".words") && parameter->rows() == built)
        throw DataError(fmt::format("{}: vocabulary is {}; expected {}, the rows of {}.npy",
                                    file.string(), described, saved, parameter->name()));
  }

 private:
  /// A table of so many tokens is small.
  static constexpr std::int64_t most_without_table = 1 << 15;
};

TrainableModel saved_model(const fs::path& run, const ExperimentOptions& options,
                           const PairDictionary& dictionary, std::size_t features, bool missing,
                           const BiasColumns& bias_columns, Communicator* processes) {
  const fs::path folder = run / "model", file = folder / "model.json";
  const nlohmann::json description = read_json(file);
  const std::int64_t rows = count_in(description, "rows", file, std::int64_t{1} << 32);
  if (rows != dictionary.rows())
    throw DataError(fmt::format("{}: rows is {}; expected {}, as the dictionary has", file.string(),
                                rows, dictionary.rows()));
  ModelSetting setting{.rows = rows,
                       .positions = count_in(description, "positions", file, 65536),
                       .seed = static_cast<std::uint64_t>(options.seed),
                       .processes = processes,
                       .restored = true};
  if (!options.trained().propensity_estimator().empty())
    setting.estimated_propensities = read_propensities(folder / estimated_propensities_file);
  if (features > 0)
    setting.features =
        FeatureTable(std::vector<float>(features), static_cast<std::int64_t>(features),
                     static_cast<std::int64_t>(bias_columns.count()), missing);
  std::optional<DescribedVocabulary> vocabulary;
  if (description.contains("vocabulary")) {
    vocabulary.emplace(description, file);
    setting.features.set_tokens({{}, vocabulary->built});
  }
  TrainableModel model = as_data(run, [&] { return options.trained().build(setting); });
  const auto divided = divide_tables(model);
  if (vocabulary) vocabulary->expect_saved(model, file);
  const auto type = description.value("type", nlohmann::json());
  if (type != model.type())
    throw DataError(fmt::format("{}: type is {}; expected {}, as config.yaml says", file.string(),
                                type.dump(), quote(model.type())));
  const nlohmann::json parameters = description.value("parameters", nlohmann::json::object());
  if (parameters.size() != model.parameters().size())
    throw DataError(fmt::format("{}: {} parameters; expected {}, those of the run's configuration",
                                file.string(), parameters.size(), model.parameters().size()));
  for (Parameter* parameter : model.parameters())
    load_parameter(folder, *parameter, divided ? divided->find(*parameter) : nullptr,
                   model.setting());
  return model;
}

}  // namespace

SavedModel::SavedModel(const fs::path& run, Registry& registry, Communicator* processes)
    : run_(run),
      options_(saved_options(run, registry)),
      dictionary_(PairDictionary::load(run / "model")),
      scaling_(saved_scaling(run, options_)),
      bias_columns_(
          as_data(run, [&] { return options_.data.as<DataOptions>().bias_columns(features()); })),
      feature_names_(saved_feature_names(run, features())),
      vocabulary_(saved_vocabulary(run)),
      model_(saved_model(run, options_, dictionary_, features(),
                         scaling_ && scaling_->keeps_missing(), bias_columns_, processes)) {}

}  // namespace ultr
