#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/measure.h"

/// The quality of a ranking of documents with graded relevance labels.
///
/// Ranks count from 1. A document is relevant if its label is at least 1, or at least a number that
/// the user gives. Metrics "@k" read the first
/// k ranks only; k must be at least 1 (Error) and may exceed the length of the list.
namespace ultr {

/// The label of a document that nobody judged.
inline constexpr int unjudged = -2;

/// The labels of one list in the order in which its scores rank them, without unjudged documents.
/// Converts implicitly from scores and labels, so that you can write ndcg({scores, labels}, 10).
class RankedLabels {
 public:
  /// Ranks by score, highest first; documents with equal scores keep the order of the input.
  /// Documents with a label of at least `relevant_from` are relevant. Unjudged documents are
  /// removed before ranks are counted. Throws Error if the lengths differ, a score is NaN (even
  /// that of an unjudged document), or a label is neither unjudged nor >= 0.
  RankedLabels(std::span<const double> scores, std::span<const int> labels, int relevant_from = 1);

  /// Labels by rank, best score first.
  std::span<const int> labels() const { return labels_; }
  /// Labels in the best possible order, largest first.
  std::span<const int> ideal() const { return ideal_; }
  /// Number of relevant documents.
  std::size_t relevant() const { return relevant_; }
  /// Returns true if documents with a label are relevant.
  bool is_relevant(int label) const { return label >= relevant_from_; }

 private:
  std::vector<int> labels_;
  std::vector<int> ideal_;
  int relevant_from_;
  std::size_t relevant_ = 0;
};

/// The gain of a document with label y in DCG.
enum class Gain : std::uint8_t {
  exponential,  // 2^y - 1 (Burges et al., ICML 2005); y at most 1000 keeps sums finite
  linear,       // y (Järvelin and Kekäläinen, TOIS 2002)
};

/// DCG@k = Σ_{r <= k} gain(y_r) / log2(1 + r). At least 0; 0 without relevant documents. Throws
/// Error for labels above 1000 with exponential gain.
double dcg(const RankedLabels& list, std::size_t k, Gain gain = Gain::exponential);
/// The largest DCG@k of any order of the list: that of its sorted labels. 0 without relevant
/// documents.
double ideal_dcg(const RankedLabels& list, std::size_t k, Gain gain = Gain::exponential);
/// nDCG@k = DCG@k / ideal DCG@k. 0 to 1; 0 without relevant documents.
double ndcg(const RankedLabels& list, std::size_t k, Gain gain = Gain::exponential);

/// 1 / rank of the first relevant document; 0 if it is below rank k or there is none. Its mean over
/// lists is MRR@k.
double reciprocal_rank(const RankedLabels& list, std::size_t k);
/// Σ over relevant ranks r <= k of precision@r, divided by the number of all relevant documents of
/// the list, so it stays below 1 if there are more than k. 0 without relevant documents. Its mean
/// over lists is MAP@k.
double average_precision(const RankedLabels& list, std::size_t k);
/// Relevant documents among the first k, divided by k even in shorter lists.
double precision(const RankedLabels& list, std::size_t k);
/// ARP = Σ y_r r / Σ y_r over relevant documents: their mean rank, weighted by label, without
/// cut-off. At least 1, lower is better; NaN without relevant documents.
double average_relevance_position(const RankedLabels& list);

/// The contribution of lists without a relevant document to averages over lists. ARP always skips
/// them.
enum class WithoutRelevant : std::uint8_t { zero, skip };

/// The options of RankingMetrics. Cut-offs must be at least 1 and distinct.
struct RankingOptions {
  std::vector<std::size_t> cutoffs = {1, 3, 5, 10};
  Gain gain = Gain::exponential;
  WithoutRelevant without_relevant = WithoutRelevant::zero;
  int relevant = 1;  // smallest label of a relevant document

  friend bool operator==(const RankingOptions&, const RankingOptions&) = default;
};

/// A measure of one ranked list. If its name ends in "@K", it is taken at each cut-off of the
/// options; otherwise it ignores the cut-off. NaN: the list does not count.
struct RankingMeasure : Measure {
  double (*compute)(const RankedLabels& list, std::size_t cutoff, Gain gain);

  bool has_cutoff() const { return name.ends_with("@K"); }
};

/// Returns the measures of rankings. A row added here appears in every file and table, in the order
/// of the rows.
std::span<const RankingMeasure> ranking_measures();

/// Ranking measures averaged over lists.
///
/// A list without any judged document, such as an empty one, is left out of every average whatever
/// the options. Nothing is known about it, and counting it as 0 would call its documents
/// irrelevant.
///
/// Stores the values of every list (8 bytes per metric) and sums them in the order of the lists, so
/// parts that are merged in order are bit-identical to one pass.
class RankingMetrics {
 public:
  /// Throws Error if a cut-off is 0 or appears twice. The table must outlive this object.
  explicit RankingMetrics(RankingOptions options = {},
                          std::span<const RankingMeasure> table = ranking_measures());

  /// Evaluates one list. If RankedLabels or a measure throws, the object is unchanged.
  void add(const RankedLabels& list);
  void add(std::span<const double> scores, std::span<const int> labels) {
    add({scores, labels, options_.relevant});
  }
  /// Appends the lists of another part. Throws Error if its options or measures differ.
  void add(const RankingMetrics& other);

  const RankingOptions& options() const { return options_; }
  /// The number of lists added, including those that do not count.
  std::size_t lists() const { return lists_; }
  /// The number of lists with judged documents, none of them relevant.
  std::size_t lists_without_relevant() const { return without_relevant_; }
  /// The number of lists without judged documents.
  std::size_t lists_without_judged() const { return without_judged_; }

  /// Names in the order of the table, each at every cut-off ("ndcg@10") in the order of the
  /// options.
  const std::vector<std::string>& names() const { return names_; }
  /// Returns the means over the lists that count, under their names; NaN where no list counts.
  /// Leaves out measures that are shown less prominently than `least`.
  std::vector<MetricValue> values(Shown least = Shown::files) const;
  /// Returns the mean with this name. Throws Error for unknown names.
  double value(std::string_view name) const;

  /// Returns the values of the lists that count for this metric, in the order of addition. Labels
  /// alone decide which lists count, so the values of two rankers of the same lists are pairs for
  /// paired_t_test. Throws Error for unknown names.
  std::vector<double> per_list(std::string_view name) const;
  /// Returns the number of the list, counted from 0 in the order of addition, for each entry of
  /// per_list(name).
  std::vector<std::size_t> counted_lists(std::string_view name) const;

 private:
  /// A measure at one cut-off.
  struct Column {
    const RankingMeasure* measure;
    std::size_t cutoff;
    std::vector<double> values{};  // one per list; NaN: the list does not count
  };

  const std::vector<double>& column(std::string_view name) const;

  RankingOptions options_;
  std::vector<std::string> names_;  // one per column
  std::vector<Column> columns_;
  std::size_t lists_ = 0;
  std::size_t without_relevant_ = 0;
  std::size_t without_judged_ = 0;
};

}  // namespace ultr
