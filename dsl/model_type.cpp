#include "dsl/model_type.h"

#include "dsl/propensity_options.h"

namespace ultr {
namespace {

/// Records what a model declares, without building anything.
class Describer final : public ModelBuilder {
 public:
  Describer(const std::vector<OptionType>& models, const std::vector<OptionType>& layers)
      : models_(models), layers_(layers) {}

  LogitParameter parameter(const std::string& name, Domain domain, const std::string& help,
                           ClickEffect) override {
    add<ParameterField>(name, domain, help, layers_);
    return {};
  }

  LogitParameter weighted_representation(const std::string&, Domain,
                                         const LogitParameter&) override {
    return {};
  }

  ShareParameter shares(const std::string& name, std::size_t, const std::string& help) override {
    add<ValueField<std::vector<double>>>(std::vector<double>(), [=](Fields& f, auto& value) {
      f.numbers(name, value, help, above(0));
    });
    return {};
  }

  double number(const std::string& name, double default_value, Limits limits,
                const std::string& help) override {
    add<ValueField<double>>(default_value,
                            [=](Fields& f, double& value) { f.number(name, value, help, limits); });
    return default_value;
  }

  bool boolean(const std::string& name, bool default_value, const std::string& help) override {
    add<ValueField<bool>>(default_value,
                          [=](Fields& f, bool& value) { f.boolean(name, value, help); });
    return default_value;
  }

  std::string word(const std::string& name, const std::string& default_value,
                   const std::vector<std::string>& words, const std::string& help) override {
    add<ValueField<std::string>>(
        default_value, [=](Fields& f, std::string& value) { f.word(name, value, help, words); });
    return default_value;
  }

  std::string file(const std::string& name, const std::string& help) override {
    add<FileField>(name, help);
    return {};
  }

  GivenPropensities propensities(bool required, const std::string& help) override {
    add<PropensityOptions>(required, help);
    return {};
  }

  const ModelSetting* setting() const override { return nullptr; }

  std::vector<std::unique_ptr<ClickModel>> components(const std::string& name,
                                                      const std::vector<std::string>& types,
                                                      const std::string& help) override {
    add<ComponentsField>(name, types, help, models_);
    return {};
  }

  std::vector<std::unique_ptr<OptionsWithFiles>> declared{};

 private:
  template <class Field, class... Arguments>
  void add(Arguments&&... arguments) {
    declared.push_back(std::make_unique<Field>(std::forward<Arguments>(arguments)...));
  }

  const std::vector<OptionType>&models_, &layers_;
};

}  // namespace

std::vector<std::unique_ptr<OptionsWithFiles>> declared_options(
    const ModelType& type, const std::vector<OptionType>& models,
    const std::vector<OptionType>& layers) {
  Describer describer(models, layers);
  type.make(describer);
  return std::move(describer.declared);
}

}  // namespace ultr
