#include "experiment/registry.h"

#include <algorithm>

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/error.h"
#include "base/version.h"
#include "experiment/log_files.h"

namespace ultr {
void Registry::add(const ModelType& type) {
  add_type("a model", tables_->models,
           {type.name, type.help, [type, &tables = *tables_]() -> std::unique_ptr<Options> {
              return std::make_unique<ModelOptions>(type, tables.models, tables.layers);
            }});
}

void Registry::add_loss(const ModelType& type) {
  add_type("a loss", tables_->losses,
           {type.name, type.help, [type, &tables = *tables_]() -> std::unique_ptr<Options> {
              return std::make_unique<ModelOptions>(type, tables.models, tables.layers);
            }});
}

void Registry::add_loss(OptionType type) { add_type("a loss", tables_->losses, std::move(type)); }

void Registry::add(const ReaderType& type) {
  add_data(log_file_type(type));
  tables_->readers.push_back(type);
}

void Registry::add_data(OptionType type) {
  add_type("a data format", tables_->data, std::move(type));
}

void Registry::add_analysis(OptionType type) {
  add_type("an analysis", tables_->analyses, std::move(type));
}

void Registry::add_type(std::string_view kind, std::vector<OptionType>& table, OptionType type) {
  const auto same = [&](const OptionType& known) { return known.name == type.name; };
  if (std::any_of(table.begin(), table.end(), same))
    throw Error(fmt::format("there is {} '{}' already; expected another name", kind, type.name));
  table.push_back(std::move(type));
}

void Registry::choose_plugins(const PluginChoice& choice) {
  for (const std::string& file : choice.files) load_plugin(file);
  tables_->plugins.trusts_run_folders = choice.trusts_run_folders;
}

void Registry::load_plugin(const std::filesystem::path& file) {
  std::error_code missing;
  const std::string path = std::filesystem::canonical(file, missing).string();
  if (missing)
    throw ConfigError(fmt::format("{}: {}; expected a plugin", file.string(), missing.message()));
  std::vector<std::string>& loaded = tables_->plugins.files;
  if (std::find(loaded.begin(), loaded.end(), path) != loaded.end()) return;

  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  // dlerror starts with the path.
  if (library == nullptr) throw ConfigError(fmt::format("{}; expected a plugin", dlerror()));
  const auto abi = reinterpret_cast<int (*)()>(dlsym(library, "ultr_abi_version"));
  const auto add_types = reinterpret_cast<void (*)(Registry&)>(dlsym(library, "ultr_register"));
  for (const auto& [name, found] : {std::pair("ultr_abi_version", abi != nullptr),
                                    std::pair("ultr_register", add_types != nullptr)})
    if (!found)
      throw ConfigError(fmt::format(
          "{}: has no {}; expected a plugin, which includes experiment/plugin.h", path, name));
  if (abi() != abi_version)
    throw ConfigError(
        fmt::format("{}: was built for ABI version {} of ultr; expected {}, that of ultr {}", path,
                    abi(), abi_version, version()));
  try {
    add_types(*this);
  } catch (const Error& error) {
    throw ConfigError(fmt::format("{}: {}", path, error.what()));
  }
  loaded.push_back(path);
}

}  // namespace ultr
