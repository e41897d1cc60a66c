#include <memory>

#include <zlib.h>

#include "experiment/run_directory.h"
#include "fuzz/input_folder.h"
#include "fuzz/target.h"
#include "runs/results/run_results.h"
#include "runs/saved_model.h"
#include "training/checkpoint.h"

namespace ultr::fuzz {
namespace {

PairDictionary small_dictionary() {
  PairDictionary dictionary;
  for (const unsigned document : {2u, 7u, 1u}) dictionary.add(5, document);
  return dictionary;
}

TrainableModel small_model() {
  const Choice choice(registry().models(), "dbn", "model");
  return choice.as<ModelOptions>().build({.rows = small_dictionary().rows(), .positions = 3});
}

/// Reads a checkpoint and restores a model from it.
bool restore(const std::filesystem::path& file) {
  return accepts([&] {
    const TrainableModel model = small_model();
    Checkpoint(file).restore(model.parameters());
  });
}

/// Returns the bytes with the checksum that makes them an undamaged checkpoint.
std::string with_checksum(std::string_view bytes) {
  const auto crc = static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
  std::string whole(bytes);
  whole.append(reinterpret_cast<const char*>(&crc), sizeof crc);
  return whole;
}

/// Replaces one file in the folder of a run with a model.
Target saved_model_target() {
  const auto parent = std::make_shared<InputFolder>();
  const auto run = parent->path() / "run";
  RunDirectory folder(run.string(), "fuzz");
  folder.create();
  folder.write("config.yaml", "model: dbn\n");
  folder.write_model(small_model(), small_dictionary());
  return {"saved_model", [parent, run](std::string_view bytes) {
            parent->replace_one(bytes);
            return accepts([&] { SavedModel(run, registry()); });
          }};
}

Target results_target() {
  const auto folder = std::make_shared<InputFolder>();
  folder->write("config.yaml", "{seed: 1, model: pbm}\n");
  return {"results", [folder](std::string_view bytes) {
            folder->write("results.json", bytes);
            return accepts([&] { read_runs(std::vector{folder->path()}); });
          }};
}

}  // namespace

std::vector<Target> run_targets() {
  const auto folder = std::make_shared<InputFolder>();
  return {
      {"checkpoint",
       [folder](std::string_view bytes) { return restore(folder->write("1.checkpoint", bytes)); }},
      {"checkpoint_body",
       [folder](std::string_view bytes) {
         return restore(folder->write("1.checkpoint", with_checksum(bytes)));
       }},
      saved_model_target(),
      results_target(),
  };
}

}  // namespace ultr::fuzz
