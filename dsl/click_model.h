#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/formats/propensities.h"
#include "data/log/session_log.h"
#include "dsl/chain.h"
#include "dsl/prob.h"
#include "dsl/session.h"
#include "layers/logit_layer.h"
#include "options/fields.h"

namespace ultr {

/// A learned probability of a story: a name and the layer that computes its logits. Calling it on a
/// session returns its probability for each document.
class LogitParameter {
 public:
  LogitParameter() = default;
  LogitParameter(std::string name, std::shared_ptr<const LogitLayer> layer)
      : name_(std::move(name)), layer_(std::move(layer)) {}

  Prob operator()(const Session& session) const { return session.probability(*layer_, name_); }
  /// Returns its logits, to add to others: sigmoid(a.logit(s) + b.logit(s)).
  Logit logit(const Session& session) const;
  /// Returns its logits as the layer computes them: one per document, or table entries and an index
  /// that gives each document's entry.
  Logits logits(const Session& session) const;

  const std::string& name() const { return name_; }
  /// The layer; null while options are only described.
  const std::shared_ptr<const LogitLayer>& layer() const { return layer_; }

 private:
  std::string name_;
  std::shared_ptr<const LogitLayer> layer_;
};

/// Learned shares of several alternatives, of which each session follows one. Calling it returns
/// their probabilities, which sum to 1.
class ShareParameter {
 public:
  ShareParameter() = default;
  ShareParameter(std::string name, std::shared_ptr<const LogitLayer> layer, std::size_t count)
      : name_(std::move(name)), layer_(std::move(layer)), count_(count) {}

  std::vector<Prob> operator()(const Session& session) const {
    return session.alternatives(*layer_, name_, count_);
  }

 private:
  std::string name_;
  std::shared_ptr<const LogitLayer> layer_;
  std::size_t count_ = 0;
};

/// The propensities of displayed positions that a configuration gives.
struct GivenPropensities {
  std::string source;      // the file or the estimator's name; empty if none are given
  bool estimated = false;  // from the training sessions, relative to the first position
  Propensities values{};   // empty while options are only described

  bool any() const { return !source.empty(); }
};

class ClickModel;
struct ModelSetting;  // dsl/model_options.h

/// The targets that a model can learn from.
enum class Targets : std::uint8_t {
  clicks,  // 0 or 1 only
  rates,   // any share from 0 to 1, such as a mean click rate
  grades,  // any number from 0 up, such as judged relevance
};

/// A parameter with one logit per displayed position, and its effect on clicks there, whatever is
/// displayed.
struct PositionEffect {
  enum class Scale : std::uint8_t {
    logit,           // it adds to the logit of a click
    probability,     // its σ is the probability of examination
    log_propensity,  // its exp multiplies clicks, up to a factor
  };
  LogitParameter parameter;
  Scale scale;
};

/// One of several trainings that a model takes.
struct TrainingStage {
  std::string name;                         // "policy"
  std::shared_ptr<const ClickModel> story;  // the story to train
  std::vector<std::string> parameters;      // names of the parameters that it changes
};

/// The effect of a parameter's starting value on the click rate of an untrained model.
enum class ClickEffect : std::uint8_t { raises, lowers, none };

/// The interface through which a model's constructor declares its parts. The same declaration
/// describes the model's options, checks them and builds its parameters.
class ModelBuilder {
 public:
  virtual ~ModelBuilder() = default;
  /// Declares a learned probability. If the configuration does not give its starting value,
  /// training starts where the model predicts the training click rate: from probability 1/2,
  /// parameters that raise the rate are shifted together, those that lower it are shifted the other
  /// way, and those without effect stay.
  virtual LogitParameter parameter(const std::string& name, Domain domain, const std::string& help,
                                   ClickEffect effect = ClickEffect::raises) = 0;
  /// Declares learned encodings of positions that are added inside the layer of the parameter `of`,
  /// a parameter of documents. No gradient reaches that layer (see PositionEncoding).
  virtual LogitParameter position_encoding(const std::string& name, const LogitParameter& of) = 0;
  /// Declares the learned shares of `count` alternatives.
  virtual ShareParameter shares(const std::string& name, std::size_t count,
                                const std::string& help) = 0;
  /// Returns a number from the configuration.
  virtual double number(const std::string& name, double default_value, Limits limits,
                        const std::string& help) = 0;
  /// Returns a boolean from the configuration.
  virtual bool boolean(const std::string& name, bool default_value, const std::string& help) = 0;
  /// Returns the word that the configuration chooses from `words`.
  virtual std::string word(const std::string& name, const std::string& default_value,
                           const std::vector<std::string>& words, const std::string& help) = 0;
  /// Returns the name of a file from the configuration; empty if the configuration gives none or
  /// options are only described.
  virtual std::string file(const std::string& name, const std::string& help) = 0;
  /// Returns propensities from a file, which the field `propensities` names, or from an estimator,
  /// which the field `estimator` names (see propensity_estimators). `help` describes their purpose.
  /// If `required`, the configuration must give one of the two.
  virtual GivenPropensities propensities(bool required, const std::string& help) = 0;
  /// Returns the data that the model is built for. Returns null while options are only described;
  /// the constructor must then read no file and compute nothing.
  virtual const ModelSetting* setting() const = 0;
  /// Returns the component models of this model: a list of models in the configuration, by default
  /// of the given types. The field `share` names the parameters that they have in common. Returns
  /// none while options are only described.
  virtual std::vector<std::unique_ptr<ClickModel>> components(
      const std::string& name, const std::vector<std::string>& default_types,
      const std::string& help) = 0;
};

/// A click model: how a user goes through a result list. Subclasses state it as one of the two
/// stories below or directly as a finite-state machine. Loss, predictions and sampling follow.
class ClickModel {
 public:
  virtual ~ClickModel() = default;

  /// Returns the story as a machine. Its probabilities may depend on the last click, which the
  /// states need not encode.
  virtual Chain chain(const Session& session) const = 0;
  /// Returns the score to rank by.
  virtual Prob relevance(const Session& session) const = 0;
  /// Returns the objective that training maximises for each session in place of log P(clicks):
  /// [sessions]. Returns nothing if there is none.
  virtual std::optional<Tensor> objective(const Session&, Impossible) const { return std::nullopt; }
  /// Returns bounds on the second derivatives of minus the objective in the logits that a layer
  /// gives to the documents, in the order of ListInputs: [documents]. They are at least 0, and the
  /// diagonal matrix of them minus the matrix of second derivatives has no negative eigenvalue.
  /// What papers hold constant is held constant. Returns nothing if the model states none; training
  /// then takes σ(x)(1 - σ(x)) for logit x, which is a bound if documents toss a coin of this logit
  /// at most once and the objective is log P(clicks).
  virtual std::optional<Tensor> curvature(const Session&, const LogitLayer&) const {
    return std::nullopt;
  }
  /// The targets that the model can learn from (see SessionView's targets).
  virtual Targets targets() const { return Targets::clicks; }
  /// True if the story goes through the ranks one by one, so that its program depends on their
  /// number. If false, objective and relevance must look at all documents at once.
  virtual bool reads_down_the_list() const { return true; }
  /// True if training maximises log P(clicks), however it is computed.
  virtual bool maximises_likelihood() const { return true; }
  /// Returns the stages that are trained before the model itself, in this order. The model is
  /// trained last, with the parameters that no stage has changed; its gradient must not pass
  /// through the others (stop_gradient).
  virtual std::vector<TrainingStage> stages() const { return {}; }
  /// Returns the learned effect of positions. Returns nothing if the model learns none, or none
  /// that depends on positions alone.
  virtual std::optional<PositionEffect> position_effect() const { return std::nullopt; }
  /// Throws DataError if the model cannot be trained or evaluated on the lists of a log. Callers
  /// must call TrainableModel::check, which calls it, before either.
  virtual void check(const SessionLog&) const {}
  /// True if the model predicts how likely clicks are. A ranking loss need not. If false, `chain`
  /// throws Error and evaluation is limited to the ranking by relevance.
  virtual bool predicts_clicks() const { return true; }
};

/// The story of users who read down the list and may stop. At an examined document they click with
/// probability `attraction`, then go on to the next with probability `after_click` or `after_skip`.
struct Cascade {
  Prob attraction, after_click, after_skip;
};

/// A click model whose story is a Cascade. Ranks by attraction unless overridden.
class CascadeModel : public ClickModel {
 public:
  virtual Cascade story(const Session& session) const = 0;
  Chain chain(const Session& session) const override;
  Prob relevance(const Session& session) const override { return story(session).attraction; }
};

/// The story of users who click what they examine and find attractive. Ranks are independent of
/// each other, except that examination may depend on the rank of the last click.
struct Examination {
  Prob examination, attraction;
};

/// Returns the machine of users whose clicks depend only on the document, its rank and the last
/// click.
Chain independent_clicks(const Examination& story, const Session& session);

/// A click model whose story is an Examination. Ranks by attraction unless overridden.
class ExaminationModel : public ClickModel {
 public:
  virtual Examination story(const Session& session) const = 0;
  Chain chain(const Session& session) const override;
  Prob relevance(const Session& session) const override { return story(session).attraction; }
};

// Derived by the engine --------------------------------------------------------------------------

/// Returns the objective that training maximises for each session, log P(clicks) unless the model
/// overrides it: [sessions].
Tensor session_objective(const ClickModel& model, const Session& session, Impossible rule);

}  // namespace ultr
