#include "analyses/diagnosis_analysis.h"

#include "analyses/diagnosis_output.h"
#include "experiment/analysis.h"

namespace ultr {
namespace {

class DiagnosisAnalysis final : public Analysis {
 public:
  explicit DiagnosisAnalysis(const std::vector<OptionType>& data)
      : data_(data, "simulation", "format") {}

  void fields(Fields& f) override {
    f.choice("data", data_, "Source of the sessions; only those for training are read.");
    f.integer("sample", sample_,
              "Approximate number of documents drawn to measure features and residuals.",
              between(100, 1e9));
  }
  void check() const override { data_.as<DataOptions>().check(); }
  void locate_files(const std::filesystem::path& config_folder) override {
    data_.as<DataOptions>().keep_training_only();
    data_.as<DataOptions>().locate_files(config_folder);
  }
  nlohmann::ordered_json results(std::uint64_t seed, int threads) const override {
    const ExperimentData data = data_.as<DataOptions>().load({.seed = seed, .threads = threads});
    const Diagnosis diagnosis = diagnose(
        data, {.sample = static_cast<std::size_t>(sample_), .seed = seed, .threads = threads});
    return diagnosis_json(diagnosis, verdict_of(diagnosis));
  }

 private:
  Choice data_;
  std::int64_t sample_ = 50000;
};

}  // namespace

OptionType diagnosis_analysis_type(const std::vector<OptionType>& data) {
  return {
      "diagnosis", "Tests whether training sessions tell position bias from relevance.",
      [&data]() -> std::unique_ptr<Options> { return std::make_unique<DiagnosisAnalysis>(data); }};
}

}  // namespace ultr
