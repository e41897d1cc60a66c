#include "python/python_model.h"

#include <memory>

#include <fmt/format.h>

#include "autograd/tape/tape.h"
#include "base/error.h"
#include "dsl/model_setting.h"
#include "dsl/shard_inputs.h"
#include "python/story_values.h"

namespace ultr::python {
namespace {

namespace py = pybind11;

/// Calls a method of a model with a session and converts what it returns by `convert(told,
/// recording)`.
template <class Told, class Convert>
auto tell(const SharedObject& model, const char* method, const Session& session,
          const Convert& convert) {
  const py::gil_scoped_acquire gil;
  const auto recording = std::make_shared<Recording>();
  struct Close {
    Recording& recording;
    ~Close() { recording.open = false; }
  } const close{*recording};
  const py::object told = model->attr(method)(StorySession{&session, recording});
  if (!py::isinstance<Told>(told))
    throw ConfigError(
        fmt::format("{}.{} returned a {}; expected an ultr.{}", Py_TYPE(model->ptr())->tp_name,
                    method, Py_TYPE(told.ptr())->tp_name,
                    py::type::of<Told>().attr("__name__").template cast<std::string>()));
  return convert(told.cast<const Told&>(), recording);
}

template <class Told>
auto tell_story(const SharedObject& model, const Session& session) {
  return tell<Told>(
      model, "story", session,
      [](const Told& told, const RecordingHandle& recording) { return to_cpp(told, recording); });
}

Prob tell_relevance(const SharedObject& model, const Session& session) {
  return tell<StoryProb>(
      model, "relevance", session,
      [](const StoryProb& told, const RecordingHandle& recording) { return told.get(recording); });
}

/// A parameter or method `relevance` of the class, if it has one, is the score to rank by.
bool has_relevance(const SharedObject& model) { return py::hasattr(*model, "relevance"); }

/// Examination stories. If examination is a parameter of positions, it is the effect of positions.
class PythonExamination final : public ExaminationModel {
 public:
  PythonExamination(SharedObject model, PythonBuilder& builder)
      : model_(std::move(model)),
        ranks_by_it_(has_relevance(model_)),
        of_positions_(builder.of_positions()) {
    if (const ModelSetting* setting = builder.build().setting()) {
      positions_ = static_cast<std::size_t>(setting->positions);
      features_ = setting->features;
    }
  }
  Examination story(const Session& s) const override {
    return tell_story<StoryExamination>(model_, s);
  }
  Prob relevance(const Session& s) const override {
    return ranks_by_it_ ? tell_relevance(model_, s) : ExaminationModel::relevance(s);
  }
  std::optional<PositionEffect> position_effect() const override {
    Tape tape(Precision::float32, Tape::Gradients::off);
    ShardInputs inputs(tape, positions_, positions_, features_);
    ProbGraph probabilities(tape);
    const Prob examination = story(Session(inputs, probabilities)).examination;
    const ProbGraph::Node& node = probabilities.node(examination.node());
    if (node.kind != ProbGraph::Kind::logit || examination.complemented()) return std::nullopt;
    for (const LogitParameter& parameter : of_positions_)
      if (node.key.layer == parameter.layer().get())
        return PositionEffect{parameter, PositionEffect::Scale::probability};
    return std::nullopt;
  }

 private:
  SharedObject model_;
  bool ranks_by_it_;
  std::vector<LogitParameter> of_positions_;
  std::size_t positions_ = 1;
  FeatureTable features_;
};

class PythonCascade final : public CascadeModel {
 public:
  PythonCascade(SharedObject model, PythonBuilder&)
      : model_(std::move(model)), ranks_by_it_(has_relevance(model_)) {}
  Cascade story(const Session& s) const override { return tell_story<StoryCascade>(model_, s); }
  Prob relevance(const Session& s) const override {
    return ranks_by_it_ ? tell_relevance(model_, s) : CascadeModel::relevance(s);
  }

 private:
  SharedObject model_;
  bool ranks_by_it_;
};

class PythonChain final : public ClickModel {
 public:
  PythonChain(SharedObject model, PythonBuilder&) : model_(std::move(model)) {}
  Chain chain(const Session& s) const override { return tell_story<StoryChain>(model_, s); }
  Prob relevance(const Session& s) const override { return tell_relevance(model_, s); }

 private:
  SharedObject model_;
};

std::unique_ptr<ClickModel> make_model(const SharedObject& model_class, ModelBuilder& build) {
  const py::gil_scoped_acquire gil;
  PythonBuilder builder(build);
  SharedObject model =
      shared(model_class->attr("_bind")(py::cast(&builder, py::return_value_policy::reference)));
  const auto family = model_class->attr("_family").cast<std::string>();
  if (family == "examination")
    return std::make_unique<PythonExamination>(std::move(model), builder);
  if (family == "cascade") return std::make_unique<PythonCascade>(std::move(model), builder);
  return std::make_unique<PythonChain>(std::move(model), builder);
}

Domain domain_called(const std::string& name) {
  std::string names;
  for (const Domain domain :
       {Domain::global, Domain::rank, Domain::rank_pair, Domain::document, Domain::document_rank,
        Domain::rank_viewed, Domain::rank_skipped, Domain::dwell}) {
    if (to_string(domain) == name) return domain;
    names += (names.empty() ? "" : ", ") + to_string(domain);
  }
  throw ConfigError(fmt::format("a parameter is one per '{}'; expected one of {}", name, names));
}

ClickEffect effect_called(const std::string& name) {
  if (name == "raises") return ClickEffect::raises;
  if (name == "lowers") return ClickEffect::lowers;
  if (name == "none") return ClickEffect::none;
  throw ConfigError(fmt::format("effect is '{}'; expected raises, lowers or none", name));
}

}  // namespace

SharedObject shared(py::object object) {
  return {new py::object(std::move(object)), [](const py::object* kept) {
            const py::gil_scoped_acquire gil;
            delete kept;
          }};
}

LogitParameter PythonBuilder::parameter(const std::string& name, const std::string& domain,
                                        const std::string& help, const std::string& effect) {
  const Domain of = domain_called(domain);
  LogitParameter made = build_.parameter(name, of, help, effect_called(effect));
  if (of == Domain::rank) of_positions_.push_back(made);
  return made;
}

ModelType python_model_type(std::string name, std::string help, py::object model_class) {
  return {std::move(name), std::move(help),
          [model_class = shared(std::move(model_class))](ModelBuilder& build) {
            return make_model(model_class, build);
          }};
}

}  // namespace ultr::python
