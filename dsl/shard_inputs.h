#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "autograd/markov/forward_algorithm.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/reductions.h"
#include "autograd/tape/tape.h"
#include "data/log/feature_table.h"
#include "data/log/shard.h"
#include "dsl/list_inputs.h"
#include "dsl/sequence_values.h"
#include "layers/logit_layer.h"

namespace ultr {

/// Selects whether random numbers disturb a program, as dropout does in training.
enum class Noise : std::uint8_t { off, on };

/// The key of the random numbers of one run of a program with noise.
struct NoiseKey {
  std::uint64_t seed = 0;
  std::uint32_t step = 0;   // training step
  std::uint32_t shard = 0;  // number of the shard in the step's batch
};

/// The symbolic inputs of a program for shards whose longest list has a given length: extents,
/// ranges of ranks, masks and indices. They are recorded once and bound to a shard before each run.
/// Inputs that the program does not ask for are not bound.
class ShardInputs {
 public:
  /// `longest`: documents of the longest list. `positions`: displayed positions that the model
  /// knows. `features`: those of the query-document pairs. `encoders`: the programs of encoders
  /// that this one shares with others of its worker; null: they are its own.
  ShardInputs(Tape& tape, std::size_t longest, std::size_t positions, FeatureTable features = {},
              Noise noise = Noise::off, std::shared_ptr<SequencePrograms> encoders = nullptr);
  ShardInputs(const ShardInputs&) = delete;
  ShardInputs& operator=(const ShardInputs&) = delete;

  Tape& tape() const { return tape_; }
  /// The number of documents of the longest list.
  std::size_t longest() const { return longest_; }
  /// The number of displayed positions that the model knows.
  std::size_t position_count() const { return position_count_; }
  Extent documents() const { return documents_; }
  Extent sessions() const { return count_[0]; }

  /// Documents at rank k (0-based).
  Range rank(std::size_t k) const { return {begin_[k], count_[k]}; }
  /// Documents at rank k that are not the last of their list.
  Range continuing(std::size_t k) const { return {begin_[k], count_[k + 1]}; }
  RankedLists ranks() {
    return {begin_, std::span(count_).first(longest_), documents_, continues()};
  }
  /// Sessions that go on to rank k + 1, as a range of a vector over the sessions that reach rank k.
  Range continuing_sessions(std::size_t k) const { return {0, count_[k + 1]}; }
  /// Sessions whose list ends at rank k, as a range of a vector over all sessions or over those
  /// that reach rank k.
  Range ending_sessions(std::size_t k) const { return {count_[k + 1], ending_[k]}; }

  /// Documents that were clicked.
  Mask clicked() { return recorded(clicked_); }
  /// Documents that are not the last of their list.
  Mask continues() { return recorded(continues_); }
  /// Documents at or above the last click of their list; all documents of a list without clicks.
  Mask until_last_click() { return recorded(until_last_click_); }
  /// The last clicked document of each list.
  Mask last_click() { return recorded(last_click_); }
  /// The index [0]: the single entry of the global domain, shared by all documents.
  Index only_entry();
  /// The row of each document in tables of query-document pairs.
  Index rows() { return recorded(rows_); }
  /// The displayed position of each document, 0-based.
  Index positions() { return recorded(positions_); }
  /// row * positions + position.
  Index rows_at_positions() { return recorded(rows_at_positions_); }
  /// position * (positions + 1) + 1 + position of the last click above (0 + none).
  Index position_pairs() { return recorded(observed_pairs_).index; }
  /// The indices of position_pairs() if the last click of each session were the assumed one.
  Index assumed_position_pairs() { return recorded(assumed_pairs_).index; }
  /// The entry of each document in the domain that depends on a signal (see Inputs::index).
  Index signal_entries(Signal signal) { return recorded(signals_[signal]).index; }

  /// The shard's documents list by list.
  ListInputs& lists();
  /// Returns Inputs::features of a domain. Throws Error for domains of documents if the model has
  /// no features.
  Tensor features(Domain domain);
  /// Returns Inputs::scores. Every document has a score of its own, with a sparse gradient (see
  /// score_view).
  Tensor scores(const FeatureScorer& scorer);
  /// Returns the parameter whose sparse gradients are those of a scorer's scores: row i belongs to
  /// document i of the shard. Returns null if the scores were not recorded.
  const ParameterView* score_view(const FeatureScorer& scorer) const;
  /// Returns Inputs::sequence_values. Throws Error if the model's data have no words.
  Tensor sequence_values(const SequenceEncoder& encoder, std::optional<Index> noise);
  /// The key of the run's random numbers; nothing if there is no noise.
  std::optional<Index> noise() const { return noise_; }

  /// Weighs sessions in sums that are recorded from now on, by Shard::weights.
  void weigh_sessions() { weighs_sessions_ = true; }
  /// Returns Σ x over documents, or over sessions, each counted by the weight of its session.
  Tensor sum_over_documents(Tensor per_document);
  Tensor sum_over_sessions(Tensor per_session) { return sum(weighted(per_session)); }
  /// Returns numbers of sessions multiplied by their weights.
  Tensor weighted(Tensor per_session);

  /// Gives every logit of every document a term of its own, which is 0, in layers that are recorded
  /// from now on. Its gradient is that of the logit at this document alone.
  void add_document_terms() { has_document_terms_ = true; }
  /// Returns a layer's logits with their terms, if documents have any.
  Logits with_document_terms(const LogitLayer& layer, const Logits& logits);
  /// Returns the parameter whose sparse gradients are those of a layer's terms: row i belongs to
  /// document i of the shard. Returns null if the layer was not recorded.
  const ParameterView* document_terms(const LogitLayer& layer) const;

  /// True if an input that the outputs need (Tape::require) depends on the dictionary's numbers of
  /// query-document pairs, not on their features alone.
  bool uses_rows() const { return needed(rows_) || needed(rows_at_positions_); }
  /// True if an input that the outputs need depends on displayed positions.
  bool uses_positions() const;

  /// Binds every input that was asked for. Features are the shard's own, if it has any.
  /// `table_rows` are the rows of its documents in tables, if these are not Shard::rows
  /// (DividedTables). The shard must have `longest` ranks, or fewer if the program does not go
  /// through them, and must live until the program has run. Throws DataError if a needed displayed
  /// position is beyond `positions`, if the shard lacks a needed signal, if the number of the
  /// shard's features is not the model's, or if a document has no features.
  void bind(const Shard& shard, const NoiseKey& key = {},
            std::span<const std::uint32_t> table_rows = {});
  /// Binds assumed_position_pairs(), which must have been asked for, to one last click for all
  /// sessions of the shard: the k-th document of their lists, or none (0), which is what bind()
  /// assumes. For that document and those above it the assumption is void: they get the pair
  /// without a click.
  void assume_last_clicks(const Shard& shard, std::uint32_t last);
  /// Binds them to a last click for each session.
  void assume_last_clicks(const Shard& shard, std::span<const std::uint32_t> last);
  /// Prefetches the table rows of the shard that the program will run on after the next run; this
  /// shard must live until then. Affects speed only.
  void prefetch_rows(const Shard& following);

 private:
  /// An index of the entries of a domain that depends on a signal.
  struct SignalIndex {
    Index index;
    std::vector<std::uint32_t> values{};
  };
  /// An index of position pairs.
  struct PairIndex {
    Index index;
    std::vector<std::uint32_t> values{};
    std::vector<Run> runs{};  // the values as runs, if every rank has the same pair in all sessions
  };

  bool needed(const std::optional<Index>& index) const {
    return index && tape_.node(index->node).demand.needed;
  }
  Mask recorded(std::optional<Mask>& mask) {
    if (!mask) mask = tape_.mask(documents_);
    return *mask;
  }
  Index recorded(std::optional<Index>& index) {
    if (!index) index = tape_.index(documents_);
    return *index;
  }
  PairIndex& recorded(std::optional<PairIndex>& pairs) {
    if (!pairs) pairs = PairIndex{tape_.index(documents_)};
    return *pairs;
  }
  SignalIndex& recorded(std::optional<SignalIndex>& signal) {
    if (!signal) signal = SignalIndex{tape_.index(documents_)};
    return *signal;
  }
  /// Returns the features of a shard's documents. Throws DataError if they are not those that the
  /// model needs.
  const FeatureTable& features_of(const Shard& shard) const;
  void bind_features(const Shard& shard);
  void bind_words(const Shard& shard);
  void bind_weights(const Shard& shard);
  void bind_last_clicks(const Shard& shard);
  void bind_observed_pairs(const Shard& shard);

  Tape& tape_;
  std::size_t longest_, position_count_;
  Extent documents_;
  std::vector<Extent> begin_, count_, ending_;
  std::optional<Mask> clicked_, continues_, until_last_click_, last_click_;
  std::vector<std::uint8_t> until_last_click_values_, last_click_values_;
  std::optional<Index> only_entry_, rows_, feature_rows_, positions_, rows_at_positions_;
  std::vector<std::uint32_t> rows_at_positions_values_;
  std::optional<PairIndex> observed_pairs_, assumed_pairs_;
  PerSignal<std::optional<SignalIndex>> signals_;
  std::optional<ListInputs> lists_;
  FeatureTable feature_table_;
  ParameterView relevance_view_, bias_view_;
  std::map<Domain, Tensor> features_;
  bool has_document_terms_ = false, weighs_sessions_ = false;
  std::optional<Tensor> session_weights_, document_weights_;
  std::vector<float> session_weight_values_, document_weight_values_;
  std::optional<Index> document_numbers_;
  std::vector<std::uint32_t> document_number_values_;
  std::map<const LogitLayer*, ParameterView> document_terms_;
  /// The scores of the shard's documents by one scorer.
  struct DocumentScores {
    ParameterView view;
    std::vector<float> values;
  };
  std::map<const FeatureScorer*, DocumentScores> document_scores_;
  std::shared_ptr<SequencePrograms> encoders_;
  /// By encoder, and whether numbers are dropped.
  std::map<std::pair<const SequenceEncoder*, bool>, std::unique_ptr<SequenceValues>> encoded_;
  std::optional<Index> noise_;
  std::array<std::uint32_t, dropout_key_words> noise_values_{};
};

}  // namespace ultr
