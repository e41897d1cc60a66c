#pragma once

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

namespace ultr::testing {

/// Sets environment variables for the lifetime of the object; those without a value are unset.
class Environment {
 public:
  using Variables = std::map<std::string, std::optional<std::string>>;

  explicit Environment(const Variables& variables) {
    for (const auto& [name, value] : variables) {
      const char* const before = std::getenv(name.c_str());
      before_[name] = before == nullptr ? std::nullopt : std::optional<std::string>(before);
    }
    set(variables);
  }
  ~Environment() { set(before_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static void set(const Variables& variables) {
    for (const auto& [name, value] : variables)
      if (value)
        setenv(name.c_str(), value->c_str(), 1);
      else
        unsetenv(name.c_str());
  }

  Variables before_;
};

/// Returns the given variables, with every other variable that MPI launchers set marked as unset.
inline Environment::Variables launcher_variables(const Environment::Variables& set) {
  Environment::Variables all = set;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK",
                           "PMIX_RANK", "SLURM_STEP_NUM_TASKS"})
    all.emplace(name, std::nullopt);
  return all;
}

}  // namespace ultr::testing
