#include "experiment/run_directory.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include <fmt/core.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files/append_file.h"
#include "base/files/file.h"
#include "base/files/npy.h"
#include "distributed/collected_rows.h"
#include "dsl/divided_model.h"
#include "options/config_tree.h"
#include "training/run_files.h"

namespace ultr {
namespace {

namespace fs = std::filesystem;

ConfigError refused(const fs::path& path, const std::error_code& reason) {
  return ConfigError(
      fmt::format("output {} cannot be created ({}); expected a folder that can be written to",
                  path.string(), reason.message()));
}

/// Locks a folder. Throws ConfigError if another process holds the lock, or if the folder cannot be
/// opened.
FolderLock locked(const fs::path& folder) {
  std::optional<FolderLock> lock = FolderLock::take(folder);
  if (lock) return std::move(*lock);
  if (errno == EWOULDBLOCK)
    throw ConfigError(fmt::format(
        "{}: another process is working on it; expected a run that has stopped", folder.string()));
  throw ConfigError(fmt::format("{}: cannot be opened ({}); expected a folder that can be read",
                                folder.string(), std::strerror(errno)));
}

void expect_new_or_empty(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return;
  if (!fs::is_directory(path, error))
    throw ConfigError(
        fmt::format("output {} is a file; expected a new or empty folder", path.string()));
  const bool empty = fs::is_empty(path, error);
  if (error) throw refused(path, error);
  if (!empty)
    throw ConfigError(
        fmt::format("output {} is not empty; expected a new or empty folder", path.string()));
}

/// Throws ConfigError if a folder cannot be created. Creates the missing parts of the path in a
/// temporary folder where they would be, since only the system knows whether it permits this, and
/// other runs may create and check the parts themselves at the same time.
void expect_creatable(const fs::path& path) {
  std::error_code error, ignored;
  fs::path existing = fs::absolute(path, error).lexically_normal(), missing;
  while (!error && existing.has_relative_path() && !fs::exists(existing, error)) {
    missing = existing.filename() / missing;
    existing = existing.parent_path();
  }
  if (!error && !fs::is_directory(existing, error))
    error = std::make_error_code(std::errc::not_a_directory);
  if (!error && missing.empty() && access(existing.c_str(), W_OK | X_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  if (!error && !missing.empty()) {
    std::string trial = existing / ".ultr-run-XXXXXX";
    if (mkdtemp(trial.data()) == nullptr) throw refused(path, {errno, std::generic_category()});
    fs::create_directories(trial / missing, error);
    fs::remove_all(trial, ignored);
  }
  if (error) throw refused(path, error);
}

/// Returns runs/<name>/<n> with the first number n that is free.
fs::path first_free(const std::string& name) {
  std::error_code ignored;
  for (int number = 1;; ++number)
    if (fs::path path = fs::path("runs") / name / std::to_string(number);
        !fs::exists(path, ignored))
      return path;
}

/// Creates a folder if it is missing, and locks it. Throws ConfigError if the system refuses, or
/// if another run has taken it.
FolderLock created(const fs::path& path) {
  if (const std::error_code error = create_folders(path)) throw refused(path, error);
  expect_new_or_empty(path);  // another run may have come first
  FolderLock lock = locked(path);
  expect_new_or_empty(path);
  return lock;
}

/// Writes each parameter of a model to a file and returns their descriptions for model.json. If
/// `writes` is false, another process writes the files, and this one only sends its rows.
nlohmann::ordered_json write_parameters(const TrainableModel& model, const fs::path& folder,
                                        bool writes) {
  nlohmann::ordered_json described;
  const auto divided = divide_tables(model);
  for (const Parameter* parameter : model.parameters()) {
    const std::string file = parameter->name() + ".npy";
    const auto columns =
        parameter->columns() > 1 ? static_cast<std::size_t>(parameter->columns()) : 0;
    const DividedTable* const parts = divided ? divided->find(*parameter) : nullptr;
    const std::int64_t rows =
        parts != nullptr ? model.setting().rows * parts->rows_per_pair : parameter->rows();
    described[parameter->name()] = {
        {"file", file}, {"rows", rows}, {"columns", parameter->columns()}};
    if (parts != nullptr) {
      std::optional<NpyStream<float>> stream;
      if (writes) stream.emplace(folder / file, static_cast<std::size_t>(rows), columns);
      collect_rows(divided->processes(), *parts, model.setting().rows,
                   [&](std::span<const float> values) { stream->append(values); });
      if (stream) stream->finish();
    } else if (writes) {
      write_npy(folder / file, parameter->values(), columns);
    }
  }
  return described;
}

constexpr const char* metrics_file = "metrics.csv";

std::string metrics_row(const EpochResult& epoch, std::span<const ClickMeasure> measures) {
  const auto cell = [](double value) { return std::isnan(value) ? "" : fmt::format("{}", value); };
  std::string row =
      fmt::format("{},{},{}", epoch.epoch, epoch.learning_rate, cell(epoch.train_loss));
  for (const ClickMeasure& measure : measures)
    row += epoch.valid ? "," + cell((*epoch.valid)[measure.name]) : ",";
  return row + fmt::format(",{},{},{:.6f},{:.1f}\n", epoch.best ? 1 : 0, epoch.stage, epoch.seconds,
                           epoch.sessions_per_second);
}

}  // namespace

RunDirectory::RunDirectory(const std::string& output, const std::string& name)
    : path_(output.empty() ? first_free(name) : fs::path(output).lexically_normal()),
      numbered_(output.empty() ? name : "") {
  expect_new_or_empty(path_);
  expect_creatable(path_);
}

RunDirectory RunDirectory::of_run(const fs::path& path) {
  RunDirectory folder;
  folder.path_ = path;
  folder.lock_ = locked(path);
  return folder;
}

RunDirectory RunDirectory::of_other_process(const fs::path& path) {
  RunDirectory folder;
  folder.path_ = path;
  folder.other_process_ = true;
  return folder;
}

void RunDirectory::create() {
  if (lock_ || other_process_) return;
  if (numbered_.empty()) {
    lock_ = created(path_);
    return;
  }
  std::error_code error = create_folders(path_.parent_path());
  while (!error && !fs::create_directory(path_, error)) path_ = first_free(numbered_);
  if (error) throw refused(path_, error);
  lock_ = created(path_);
}

void RunDirectory::write(std::string_view file, std::string_view content) const {
  if (other_process_) return;
  expect_unmoved();
  write_file(path_ / file, content);
}

void RunDirectory::expect_unmoved() const {
  if (lock_ && !lock_->is_of(path_))
    throw DataError(fmt::format(
        "{}: was removed or renamed during the run; expected the folder to stay", path_.string()));
}

void RunDirectory::finish(std::string_view results) const {
  if (other_process_) return;
  expect_unmoved();
  flush_folder(path_);
  write_file_on_disk(path_ / results_file, results);
}

void RunDirectory::write_metrics(const std::vector<EpochResult>& epochs,
                                 std::span<const ClickMeasure> table) const {
  const std::vector<ClickMeasure> measures = numbers_in_files(table);
  std::string csv = "epoch,learning_rate,train_loss";
  for (const ClickMeasure& measure : measures) csv += fmt::format(",valid_{}", measure.name);
  csv += ",best,stage,seconds,sessions_per_second\n";
  for (const EpochResult& epoch : epochs) csv += metrics_row(epoch, measures);
  write(metrics_file, csv);
}

void RunDirectory::append_metrics(const EpochResult& epoch) const {
  if (other_process_) return;
  expect_unmoved();
  append_to_file(path_ / metrics_file, metrics_row(epoch, numbers_in_files(click_measures())));
}

void RunDirectory::write_model(const TrainableModel& model, const PairDictionary& dictionary,
                               const std::optional<FeatureScaling>& scaling) const {
  const fs::path folder = path_ / "model";
  expect_unmoved();
  if (!other_process_) create_folder(folder);
  const nlohmann::ordered_json parameters = write_parameters(model, folder, !other_process_);
  if (other_process_) return;
  nlohmann::ordered_json logits;
  for (const TrainableModel::Layer& layer : model.layers())
    if (const std::string formula = layer.layer->formula(); !formula.empty())
      logits[layer.name] = {{"domain", to_string(layer.domain)}, {"formula", formula}};
  for (const TrainableModel::Layer& layer : model.layers()) layer.layer->save_files(folder);
  dictionary.save(folder);
  if (scaling) scaling->save(folder / feature_scaling_file);
  if (const Propensities& estimated = model.setting().estimated_propensities; !estimated.empty())
    write_propensities(folder / estimated_propensities_file, "propensity", estimated);
  nlohmann::ordered_json description = {{"type", model.type()},
                                        {"rows", model.setting().rows},
                                        {"positions", model.setting().positions},
                                        {"features", model.setting().features.count()},
                                        {"parameters", parameters},
                                        {"logits", logits}};
  if (const TokenTable& words = model.setting().features.tokens(); !words.empty())
    description["vocabulary"] = words.vocabulary();
  write_file(folder / "model.json", description.dump(2) + "\n");
}

}  // namespace ultr
