#include "training/coin_fitter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.h"
#include "distributed/collected_rows.h"
#include "dsl/divided_model.h"
#include "training/log_pass.h"

namespace ultr {
namespace {

/// A fitter for models made of Bernoulli coins. A pass over all sessions sets every coin to its
/// expected share of heads: expectation maximisation (EM), or counting, which is the same if no
/// coin is hidden.
class CoinFitter final : public Fitter {
 public:
  /// The story that explains the log.
  enum class Story : std::uint8_t {
    own,       // the model's own: EM
    complete,  // sessions end with their last click (see complete_data): counting, in one pass
  };

  /// Counts the tosses of every coin. Throws ConfigError, with the reason, unless every layer has
  /// one logit per entry and the model is made of independent coins (see tossed_logits and
  /// complete_data). `tolerance`: see EmOptions.
  CoinFitter(Story story, const PseudoTosses& pseudo, double tolerance, const FitSetting& setting)
      : story_(story),
        pseudo_(pseudo),
        tolerance_(tolerance),
        setting_(setting),
        loss_(setting.model,
              story == Story::own ? ProgramKind::exact_loss : ProgramKind::complete_loss,
              setting.train, setting.threads) {
    for (const TrainableModel::Layer& layer : setting.model.layers())
      if (!layer.layer->entry_logits())
        throw ConfigError(fmt::format(
            "'{}' does not have one logit per entry, so its probabilities cannot be set "
            "one by one; expected a table or a plain embedding",
            layer.name));
    LogPass count(setting.model,
                  story == Story::own ? ProgramKind::tosses : ProgramKind::complete_tosses,
                  setting.train, setting.threads);
    count();
    for (const TrainableModel::Layer& layer : setting.model.layers())
      tosses_.push_back(count.gradient(layer.layer->entry_logits()->values));
  }

  /// Throws ConfigError, before any parameter changes, if the log is impossible under the model.
  PassResult pass(std::int64_t, const std::function<void(std::size_t)>& progress) override {
    const double log_likelihood = loss_(progress);
    if (story_ == Story::own && !std::isfinite(log_likelihood)) refuse_impossible_sessions();
    double change = 0;
    for (std::size_t i = 0; i < tosses_.size(); ++i) {
      const TrainableModel::Layer& layer = setting_.model.layers()[i];
      const EntryLogits logits = *layer.layer->entry_logits();
      const CoinEvidence evidence{loss_.gradient(logits.values), tosses_[i]};
      change = std::max(
          change, layer.domain == Domain::alternative
                      ? maximise_shares(*logits.values, evidence)
                      : maximise_coins(logits, evidence, pseudo_, sum_of_entries(*logits.values)));
    }
    if (ends_by_itself()) change_ = largest_of_all(change);
    ++passes_;
    return {.loss = -log_likelihood / setting_.train.weighted_documents()};
  }
  FitProgress progress() const override { return {.steps = passes_, .change = change_}; }
  void resume(const FitProgress& progress) override {
    passes_ = progress.steps;
    change_ = progress.change;
  }
  bool finished() const override {
    return passes_ > 0 &&
           (story_ == Story::complete || (ends_by_itself() && change_ <= tolerance_));
  }
  bool ends_by_itself() const override { return tolerance_ > 0; }

 private:
  /// Returns the sum over the entries of a parameter whose rows several processes hold; nothing if
  /// this process holds them all.
  SumOfEntries sum_of_entries(const Parameter& parameter) const {
    const DividedTables* const divided = loss_.divided();
    const DividedTable* const table = divided == nullptr ? nullptr : divided->find(parameter);
    if (table == nullptr) return {};
    return [this, divided, table](std::span<const double> own) {
      EntrySum sum;
      collect_numbers(divided->processes(), *table, setting_.model.setting().rows, own,
                      [&](std::span<const double> numbers) { sum.add(numbers); });
      return sum.total();
    };
  }

  double largest_of_all(double own) const {
    if (loss_.divided() == nullptr) return own;
    return std::ranges::max(
        gather_all(loss_.divided()->processes(), std::span<const double>(&own, 1)));
  }

  /// Several processes look at the same sessions together, since each may need rows of the others.
  [[noreturn]] void refuse_impossible_sessions() const {
    ClickPrograms programs(setting_.model, ProgramKind::exact_loss);
    const auto divided = divide_tables(setting_.model);
    std::uint32_t session = 0;
    for (Shard shard; session < setting_.train.sessions(); ++session) {
      shard.pack(setting_.train, std::array{session});
      if (divided) divided->fetch({&shard, 1});
      const auto rows = divided ? divided->rows(0) : std::span<const std::uint32_t>();
      if (!std::isfinite(programs.run(shard, {}, rows).loss())) break;
    }
    throw ConfigError(fmt::format(
        "the clicks of training session {} are impossible under the model, so there is no "
        "likelihood to maximise",
        session + 1));
  }

  Story story_;
  PseudoTosses pseudo_;
  double tolerance_, change_ = 0;  // of probabilities in a pass: the most at the end, and the last
  FitSetting setting_;
  LogPass loss_;
  std::vector<std::vector<double>> tosses_;  // [layer of the model][entry]
  std::int64_t passes_ = 0;
};

std::unique_ptr<Fitter> make_coin_fitter(const char* type, CoinFitter::Story story,
                                         const PseudoTosses& pseudo, double tolerance,
                                         const FitSetting& setting) {
  if (setting.options.mean() != LossMean::documents)
    throw ConfigError(fmt::format(
        "optimizer: '{}' maximises the likelihood; expected train.loss_mean to be documents",
        type));
  try {
    return std::make_unique<CoinFitter>(story, pseudo, tolerance, setting);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("optimizer: '{}' cannot fit '{}': {}", type, setting.model.type(),
                                  error.what()));
  }
}

}  // namespace

std::unique_ptr<Fitter> make_em_fitter(const EmOptions& options, const FitSetting& setting) {
  return make_coin_fitter("em", CoinFitter::Story::own, options.pseudo, options.tolerance, setting);
}

std::unique_ptr<Fitter> make_counting_fitter(const CountingOptions& options,
                                             const FitSetting& setting) {
  return make_coin_fitter("counting", CoinFitter::Story::complete, options.pseudo, 0, setting);
}

}  // namespace ultr
