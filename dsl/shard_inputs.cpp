#include "dsl/shard_inputs.h"

#include <algorithm>
#include <numeric>

#include <fmt/core.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/slice.h"
#include "base/error.h"
#include "dsl/signal_domains.h"

namespace ultr {
namespace {

Tensor identity_matrix(Tape& tape, std::int64_t size) {
  std::vector<double> values(static_cast<std::size_t>(size * size), 0.0);
  for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(size) + 1) values[i] = 1;
  return tape.constant(Shape::matrix(size, size), values);
}

}  // namespace

ShardInputs::ShardInputs(Tape& tape, std::size_t longest, std::size_t positions,
                         FeatureTable features, Noise noise,
                         std::shared_ptr<SequencePrograms> encoders)
    : tape_(tape),
      longest_(longest),
      position_count_(positions),
      documents_(0),
      feature_table_(std::move(features)),
      relevance_view_(feature_table_.relevance_view()),
      bias_view_(feature_table_.bias_view()),
      encoders_(encoders ? std::move(encoders) : std::make_shared<SequencePrograms>()) {
  const auto capacity = static_cast<std::int64_t>(shard_sessions);
  const auto all = capacity * static_cast<std::int64_t>(longest);
  documents_ = tape.extent(all);
  if (noise == Noise::on) noise_ = tape.index(dropout_key_words);
  for (std::size_t k = 0; k < longest; ++k) {
    begin_.push_back(k == 0 ? Extent(0) : tape.extent(all));
    count_.push_back(tape.extent(capacity));
    ending_.push_back(k + 1 < longest ? tape.extent(capacity) : count_[k]);
  }
  count_.push_back(0);
}

Index ShardInputs::only_entry() {
  static constexpr std::uint32_t zero = 0;
  if (!only_entry_) {
    only_entry_ = tape_.index(1);
    tape_.bind(*only_entry_, std::span(&zero, 1));
  }
  return *only_entry_;
}

ListInputs& ShardInputs::lists() {
  if (!lists_) lists_.emplace(tape_, documents(), sessions());
  return *lists_;
}

Tensor ShardInputs::features(Domain domain) {
  const auto known = features_.find(domain);
  if (known != features_.end()) return known->second;
  const auto positions = static_cast<std::int64_t>(position_count_);
  const auto gathered = [&](const ParameterView& view) {
    return gather_fixed(tape_, view, recorded(feature_rows_));
  };
  const Tensor of_domain = [&] {
    switch (domain) {
      case Domain::document:
        if (feature_table_.empty()) throw Error("the model has a tower, but no features");
        return gathered(relevance_view_);
      case Domain::document_rank:
        return concat_columns(features(Domain::document), one_hot(this->positions(), positions));
      case Domain::rank:
        if (feature_table_.bias_count() > 0)
          return concat_columns(one_hot(this->positions(), positions), gathered(bias_view_));
        return identity_matrix(tape_, positions);
      case Domain::rank_pair:
        return identity_matrix(tape_, positions * (positions + 1));
      case Domain::rank_viewed:
      case Domain::rank_skipped:
        return identity_matrix(tape_, positions * 2);
      case Domain::dwell:
        return identity_matrix(tape_, dwell_classes);
      default:
        return identity_matrix(tape_, 1);
    }
  }();
  features_.emplace(domain, of_domain);
  return of_domain;
}

Tensor ShardInputs::scores(const FeatureScorer& scorer) {
  const std::int64_t most = documents_.capacity();
  DocumentScores& own = document_scores_[&scorer];
  own.view = {.values = own.values.data(), .precision = Precision::float32, .rows = most};
  return gather(tape_, own.view, recorded(document_numbers_));
}

const ParameterView* ShardInputs::score_view(const FeatureScorer& scorer) const {
  const auto found = document_scores_.find(&scorer);
  return found == document_scores_.end() ? nullptr : &found->second.view;
}

Tensor ShardInputs::sequence_values(const SequenceEncoder& encoder, std::optional<Index> noise) {
  if (feature_table_.tokens().empty()) throw Error("the model reads words, but the data have none");
  auto& encoded = encoded_[{&encoder, noise.has_value()}];
  if (!encoded)
    encoded = std::make_unique<SequenceValues>(tape_, encoder, documents_, noise, encoders_);
  return encoded->values();
}

Tensor ShardInputs::sum_over_documents(Tensor per_document) {
  if (!weighs_sessions_) return sum(per_document);
  if (!document_weights_) document_weights_ = tape_.input(Shape::vector(documents_));
  return sum(per_document * *document_weights_);
}

Tensor ShardInputs::weighted(Tensor per_session) {
  if (!weighs_sessions_) return per_session;
  if (!session_weights_) session_weights_ = tape_.input(Shape::vector(sessions()));
  return per_session * *session_weights_;
}

Logits ShardInputs::with_document_terms(const LogitLayer& layer, const Logits& logits) {
  if (!has_document_terms_) return logits;
  static constexpr double zero = 0;
  const std::int64_t most = documents_.capacity();
  const auto [view, added] = document_terms_.try_emplace(
      &layer,
      ParameterView{.values = &zero, .precision = Precision::float64, .rows = most, .stride = 0});
  const Tensor terms = gather(tape_, view->second, recorded(document_numbers_));
  const Tensor values =
      logits.per_document ? take(logits.values, *logits.per_document) : logits.values;
  return {values + terms, std::nullopt};
}

const ParameterView* ShardInputs::document_terms(const LogitLayer& layer) const {
  const auto found = document_terms_.find(&layer);
  return found == document_terms_.end() ? nullptr : &found->second;
}

bool ShardInputs::uses_positions() const {
  const auto pairs_are_needed = [&](const std::optional<PairIndex>& pairs) {
    return pairs && needed(pairs->index);
  };
  const auto entries_are_needed = [&](Signal signal) {
    return signals_[signal] && needed(signals_[signal]->index);
  };
  return needed(positions_) || needed(rows_at_positions_) || entries_are_needed(Signal::viewed) ||
         entries_are_needed(Signal::skipped) || pairs_are_needed(observed_pairs_) ||
         pairs_are_needed(assumed_pairs_) || (lists_ && lists_->uses_positions());
}

const FeatureTable& ShardInputs::features_of(const Shard& shard) const {
  const bool own = !shard.features().empty();
  const FeatureTable& table = own ? shard.features() : feature_table_;
  if (table.bias_count() != feature_table_.bias_count())
    throw DataError(fmt::format("the documents have {} bias features; the model expects {}",
                                table.bias_count(), feature_table_.bias_count()));
  if (table.count() != feature_table_.count())
    throw DataError(fmt::format("the documents have {} features; the model expects {}",
                                table.count(), feature_table_.count()));
  const auto unknown = [](std::uint32_t row) { return row == 0; };
  if (!own && table.rows() == 1 && !std::all_of(shard.rows().begin(), shard.rows().end(), unknown))
    throw DataError("the documents have no features, which the model needs");
  return table;
}

void ShardInputs::bind_features(const Shard& shard) {
  const FeatureTable& table = features_of(shard);
  relevance_view_ = table.relevance_view();
  bias_view_ = table.bias_view();
  if (feature_rows_) tape_.bind(*feature_rows_, shard.feature_rows());
  for (auto& [scorer, scores] : document_scores_) {
    scores.values.resize(shard.documents());
    scorer->score(relevance_view_, table.owner(), shard.feature_rows(), scores.values);
    scores.view.values = scores.values.data();
  }
}

void ShardInputs::bind_words(const Shard& shard) {
  const TokenTable& words = features_of(shard).tokens();
  if (words.empty()) throw DataError("the documents have no words, which the model reads");
  for (auto& [key, encoded] : encoded_)
    encoded->bind(
        shard.feature_rows(),
        [&](std::uint32_t row) -> DocumentWords {
          return {words[row].tokens, words[row].types};
        },
        noise_values_);
}

void ShardInputs::bind_weights(const Shard& shard) {
  session_weight_values_.assign(shard.weights().begin(), shard.weights().end());
  session_weight_values_.resize(shard.sessions(), 1.0f);
  if (session_weights_) tape_.bind(*session_weights_, session_weight_values_);
  if (!document_weights_) return;
  document_weight_values_.clear();
  for (std::size_t k = 0; k < shard.longest(); ++k)
    document_weight_values_.insert(document_weight_values_.end(), session_weight_values_.begin(),
                                   session_weight_values_.begin() + shard.count(k));
  tape_.bind(*document_weights_, document_weight_values_);
}

void ShardInputs::bind_last_clicks(const Shard& shard) {
  until_last_click_values_.assign(shard.documents(), 1);
  last_click_values_.assign(shard.documents(), 0);
  for (std::size_t j = 0; j < shard.sessions(); ++j) {
    std::optional<std::size_t> last;
    for (std::size_t k = 0; j < shard.count(k); ++k)
      if (shard.clicks()[shard.begin(k) + j] != 0) last = k;
    if (!last) continue;
    last_click_values_[shard.begin(*last) + j] = 1;
    for (std::size_t k = *last + 1; j < shard.count(k); ++k)
      until_last_click_values_[shard.begin(k) + j] = 0;
  }
  if (until_last_click_) tape_.bind(*until_last_click_, until_last_click_values_);
  if (last_click_) tape_.bind(*last_click_, last_click_values_);
}

void ShardInputs::prefetch_rows(const Shard& following) {
  if (rows_) tape_.prefetch_rows(*rows_, following.rows());
}

void ShardInputs::bind(const Shard& shard, const NoiseKey& key,
                       std::span<const std::uint32_t> table_rows) {
  const std::span<const std::uint32_t> rows = table_rows.empty() ? shard.rows() : table_rows;
  if (noise_) {
    noise_values_ = {static_cast<std::uint32_t>(key.seed),
                     static_cast<std::uint32_t>(key.seed >> 32), key.step, key.shard};
    tape_.bind(*noise_, noise_values_);
  }
  tape_.bind(documents_, static_cast<std::int64_t>(shard.documents()));
  for (std::size_t k = 0; k < longest_; ++k) {
    tape_.bind(begin_[k], shard.begin(std::min(k, shard.longest())));
    tape_.bind(count_[k], shard.count(k));
    tape_.bind(ending_[k], shard.count(k) - shard.count(k + 1));
  }
  if (clicked_) tape_.bind(*clicked_, shard.clicks());
  if (continues_) tape_.bind(*continues_, shard.continues());
  if (until_last_click_ || last_click_) bind_last_clicks(shard);
  if (rows_) tape_.bind(*rows_, rows);
  if (document_numbers_) {
    document_number_values_.resize(shard.documents());
    std::iota(document_number_values_.begin(), document_number_values_.end(), 0u);
    tape_.bind(*document_numbers_, document_number_values_);
  }
  if (feature_rows_ || !document_scores_.empty()) bind_features(shard);
  if (!encoded_.empty()) bind_words(shard);
  if (lists_) lists_->bind(shard);
  if (weighs_sessions_) bind_weights(shard);

  const std::span<const std::uint32_t> positions = shard.positions();
  if (uses_positions() && shard.positions_count() > position_count_)
    throw DataError(fmt::format("a document is displayed at position {}; the model knows {}",
                                shard.positions_count(), position_count_));
  if (positions_) tape_.bind(*positions_, positions, shard.position_runs());

  if (rows_at_positions_) {
    std::vector<std::uint32_t>& values = rows_at_positions_values_;
    values.resize(shard.documents());
    const auto count = static_cast<std::uint32_t>(position_count_);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = rows[i] * count + positions[i];
    tape_.bind(*rows_at_positions_, values);
  }

  for (const Signal signal : all_signals)
    if (auto& entries = signals_[signal]; entries && needed(entries->index)) {
      find_signal_entries(shard, signal, entries->values);
      tape_.bind(entries->index, entries->values);
    }
  if (observed_pairs_) bind_observed_pairs(shard);
  if (assumed_pairs_) assume_last_clicks(shard, 0);
}

void ShardInputs::bind_observed_pairs(const Shard& shard) {
  const auto width = static_cast<std::uint32_t>(position_count_ + 1);
  const bool gapless = !shard.position_runs().empty();
  std::vector<std::uint32_t>& pairs = observed_pairs_->values;
  pairs.resize(shard.documents());
  std::array<std::uint32_t, shard_sessions> last{};  // per session, 1-based
  for (std::size_t k = 0; k < std::min(longest_, shard.longest()); ++k) {
    const std::uint32_t* position = shard.positions().data() + shard.begin(k);
    const std::uint8_t* click = shard.clicks().data() + shard.begin(k);
    std::uint32_t* pair = pairs.data() + shard.begin(k);
    const auto down_the_rank = [&](auto position_of) {
      for (std::size_t j = 0, count = shard.count(k); j < count; ++j) {
        pair[j] = position_of(j) * width + last[j];
        last[j] = click[j] != 0 ? position_of(j) + 1 : last[j];
      }
    };
    if (gapless)  // position k at rank k: one number replaces a column
      down_the_rank([at = static_cast<std::uint32_t>(k)](std::size_t) { return at; });
    else
      down_the_rank([&](std::size_t j) { return position[j]; });
  }
  tape_.bind(observed_pairs_->index, pairs);
}

void ShardInputs::assume_last_clicks(const Shard& shard, std::uint32_t last) {
  if (shard.position_runs().empty()) {
    assume_last_clicks(shard, std::vector<std::uint32_t>(shard.sessions(), last));
    return;
  }
  // Position k at rank k: one pair per rank.
  const auto width = static_cast<std::uint32_t>(position_count_ + 1);
  PairIndex& pairs = *assumed_pairs_;
  pairs.values.resize(shard.documents());
  pairs.runs.clear();
  for (std::uint32_t k = 0; k < std::min(longest_, shard.longest()); ++k) {
    pairs.runs.push_back({k * width + (last <= k ? last : 0), shard.count(k)});
    std::fill_n(pairs.values.data() + shard.begin(k), shard.count(k), pairs.runs.back().value);
  }
  tape_.bind(pairs.index, pairs.values, pairs.runs);
}

void ShardInputs::assume_last_clicks(const Shard& shard, std::span<const std::uint32_t> last) {
  const auto width = static_cast<std::uint32_t>(position_count_ + 1);
  PairIndex& pairs = *assumed_pairs_;
  pairs.values.resize(shard.documents());
  for (std::size_t k = 0; k < std::min(longest_, shard.longest()); ++k)
    for (std::size_t j = 0; j < shard.count(k); ++j) {
      const std::size_t at = shard.begin(k) + j;
      const bool after = last[j] > 0 && last[j] <= k;
      const std::uint32_t clicked = after ? shard.positions()[shard.begin(last[j] - 1) + j] + 1 : 0;
      pairs.values[at] = shard.positions()[at] * width + clicked;
    }
  tape_.bind(pairs.index, pairs.values);
}

}  // namespace ultr
