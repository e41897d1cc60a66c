#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/formats/propensities.h"
#include "data/log/session_log.h"
#include "layers/logit_layer.h"
#include "models/chain.h"
#include "models/prob.h"
#include "models/session.h"
#include "options/fields.h"

namespace ultr {

/// A learned probability of a story: a layer that gives logits, and a name. Calling it on a session
/// gives its probability for each document.
class LogitParameter {
 public:
  LogitParameter() = default;
  LogitParameter(std::string name, std::shared_ptr<const LogitLayer> layer)
      : name_(std::move(name)), layer_(std::move(layer)) {}

  Prob operator()(const Session& session) const { return session.probability(*layer_, name_); }
  /// Its logits, to add to others: sigmoid(a.logit(s) + b.logit(s)).
  Logit logit(const Session& session) const;
  /// The same as its layer gives them: one a document, or entries and whose they are.
  Logits logits(const Session& session) const;

  const std::string& name() const { return name_; }
  /// Null while options are only described.
  const std::shared_ptr<const LogitLayer>& layer() const { return layer_; }

 private:
  std::string name_;
  std::shared_ptr<const LogitLayer> layer_;
};

/// Learned shares of the ways of which each session goes one. Calling it gives their probabilities,
/// which sum to 1.
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

/// Propensities of displayed positions that a configuration gives.
struct GivenPropensities {
  std::string source;      // the file, or the estimator's name; empty: none are given
  bool estimated = false;  // from the training sessions, relative to the first position
  Propensities values{};   // none while options are only described

  bool any() const { return !source.empty(); }
};

class ClickModel;
struct ModelSetting;  // models/model_options.h

/// What a model can learn from.
enum class Targets : std::uint8_t {
  clicks,  // 0 or 1 only
  rates,   // shares from 0 to 1 too, such as mean click rates
  grades,  // all numbers from 0 on, such as judged relevance
};

/// What a parameter with a logit a displayed position does to clicks, whatever is displayed there.
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
  std::shared_ptr<const ClickModel> story;  // what is trained
  std::vector<std::string> parameters;      // which it changes, by name
};

/// What the start of a parameter does to the click rate of an untrained model.
enum class ClickEffect : std::uint8_t { raises, lowers, none };

/// Through which a model declares what it is made of, in its constructor. One declaration describes
/// the model's options, checks them, and builds its parameters.
class ModelBuilder {
 public:
  virtual ~ModelBuilder() = default;
  /// A probability to learn. Unless the configuration gives its starting value, training starts
  /// where the model predicts the training click rate: all parameters that raise it are shifted
  /// together, from probability 1/2, and those that lower it the other way; those without effect
  /// stay.
  virtual LogitParameter parameter(const std::string& name, Domain domain, const std::string& help,
                                   ClickEffect effect = ClickEffect::raises) = 0;
  /// A weighted sum, to learn, of what the layer of a parameter of that domain makes its own logit
  /// of; no gradient reaches that layer (see WeightedRepresentation).
  virtual LogitParameter weighted_representation(const std::string& name, Domain domain,
                                                 const LogitParameter& of) = 0;
  /// Learned shares of `count` ways.
  virtual ShareParameter shares(const std::string& name, std::size_t count,
                                const std::string& help) = 0;
  /// A number that the configuration gives.
  virtual double number(const std::string& name, double default_value, Limits limits,
                        const std::string& help) = 0;
  /// Yes or no, as the configuration says.
  virtual bool boolean(const std::string& name, bool default_value, const std::string& help) = 0;
  /// One of a few words, which the configuration chooses.
  virtual std::string word(const std::string& name, const std::string& default_value,
                           const std::vector<std::string>& words, const std::string& help) = 0;
  /// The name of a file that the configuration gives; empty if it gives none, and while options are
  /// only described.
  virtual std::string file(const std::string& name, const std::string& help) = 0;
  /// Propensities from a file, which a field `propensities` names, or from an estimator that a
  /// field `estimator` names (see propensity_estimators). `help` says what they are for.
  /// `required`: one of the two must be given.
  virtual GivenPropensities propensities(bool required, const std::string& help) = 0;
  /// What the model is built for; null while options are only described, when no file is to be
  /// read and nothing to be computed.
  virtual const ModelSetting* setting() const = 0;
  /// Models that this one is made of: a list of models in the configuration, by default of the
  /// given types. A field `share` names the parameters that they have in common. None while options
  /// are only described.
  virtual std::vector<std::unique_ptr<ClickModel>> components(
      const std::string& name, const std::vector<std::string>& default_types,
      const std::string& help) = 0;
};

/// A click model: how a user goes through a result list. Subclasses say it by one of the two
/// stories below, or directly as a finite-state machine; loss, predictions and sampling follow.
class ClickModel {
 public:
  virtual ~ClickModel() = default;

  /// The story as a machine. Where clicks are observed, states need not say what the log shows.
  virtual Chain chain(const Session& session) const = 0;
  /// What to rank by.
  virtual Prob relevance(const Session& session) const = 0;
  /// What training maximises for each session in place of log P(clicks), if anything: [sessions].
  virtual std::optional<Tensor> objective(const Session&, Impossible) const { return std::nullopt; }
  /// What it can learn from (see SessionView's targets).
  virtual Targets targets() const { return Targets::clicks; }
  /// Whether the story goes through the ranks one by one, so that its program depends on their
  /// number. Where it does not, objective and relevance must look at all documents at once.
  virtual bool reads_down_the_list() const { return true; }
  /// Whether training maximises log P(clicks), however it is computed.
  virtual bool maximises_likelihood() const { return true; }
  /// What is trained before the model itself, in this order. The model is trained last, with the
  /// parameters that no stage has changed; through others no gradient may pass (stop_gradient).
  virtual std::vector<TrainingStage> stages() const { return {}; }
  /// What it learns of the effect of positions; nothing if it does not, or not of them alone.
  virtual std::optional<PositionEffect> position_effect() const { return std::nullopt; }
  /// Throws DataError, saying what is wrong, if it cannot be trained or evaluated on the lists of a
  /// log; to be called before either.
  virtual void check(const SessionLog&) const {}
  /// Whether it says how likely clicks are. A ranking loss need not; its `chain` then throws Error,
  /// and all that is left to evaluate is the ranking by relevance.
  virtual bool predicts_clicks() const { return true; }
};

/// The story of users who read down the list and may stop: at an examined document they click with
/// probability `attraction`, and go on to the next with probability `after_click` or `after_skip`.
struct Cascade {
  Prob attraction, after_click, after_skip;
};

class CascadeModel : public ClickModel {
 public:
  virtual Cascade story(const Session& session) const = 0;
  Chain chain(const Session& session) const override;
  Prob relevance(const Session& session) const override { return story(session).attraction; }
};

/// The story of users who look at ranks independently of each other, except that examination may
/// depend on where they clicked last: they click what they examine and find attractive.
struct Examination {
  Prob examination, attraction;
};

/// The machine of users whose clicks depend on nothing but the document and its rank.
Chain independent_clicks(const Examination& story, const Session& session);

class ExaminationModel : public ClickModel {
 public:
  virtual Examination story(const Session& session) const = 0;
  Chain chain(const Session& session) const override;
  Prob relevance(const Session& session) const override { return story(session).attraction; }
};

// What the engine makes of a model
// -------------------------------------------------------------------

/// What training maximises for each session, log P(clicks) unless the model says otherwise:
/// [sessions].
Tensor session_objective(const ClickModel& model, const Session& session, Impossible rule);
/// P(click | clicks above) of each document.
Prob conditional_click(const ClickModel& model, const Session& session);

}  // namespace ultr
