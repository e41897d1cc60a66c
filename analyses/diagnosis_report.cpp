#include "analyses/diagnosis_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/version.h"
#include "report/markup.h"

namespace ultr {
namespace {

std::string with_digits(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "-";
}

std::string orders_text(const OrderVariety& orders) {
  std::string text = orders.repeated_queries == 0
                         ? std::string("Each query has one session.")
                         : fmt::format(
                               "Two sessions of a query show the same order with probability "
                               "{:.3f} ({} queries with several).",
                               orders.same_order, group_digits(orders.repeated_queries));
  if (orders.repeated_pairs > 0)
    text += fmt::format(
        " The rank of a query-document pair has an entropy of {:.2f} bits ({} pairs with several "
        "impressions).",
        orders.rank_entropy, group_digits(orders.repeated_pairs));
  return text;
}

std::string policy_text(const Diagnosis& d) {
  if (d.policy)
    return fmt::format(
        "A LambdaMART predicts the logged order of other queries with nDCG@10 {:.3f} [{:.3f}, "
        "{:.3f}]; random orders: {:.3f} ({} lists of {} queries).",
        d.policy->ndcg, d.policy->interval.lower, d.policy->interval.upper, d.policy->random_ndcg,
        d.policy->lists, d.policy->queries);
  return d.features == 0
             ? "Without features, how strong the logging policy is cannot be measured."
             : "How strong the logging policy is cannot be measured: there are no other queries.";
}

std::string with_interval(const Estimate& estimate) {
  return fmt::format("{:+.4f} [{:+.4f}, {:+.4f}]", estimate.value, estimate.lower(),
                     estimate.upper());
}

std::string residual_text(const PolicyResiduals& residuals) {
  const ResidualCorrelation& correlation = residuals.correlation;
  std::string text = fmt::format("Residuals of: {}. ", residuals.model);
  const auto* strongest = correlation.most_certain();
  if (strongest == nullptr || std::isnan(correlation.with_score.value))
    return text +
           "Whether they go with the logging policy cannot be measured: at any rank its score does "
           "not vary, is not known, or is of one query.";
  text += fmt::format(
      "They {} with the logging policy: correlation within ranks {}, most certain at rank {} {}. "
      "Its score: {}.",
      correlation.follows_policy() ? "go" : "do not go", with_interval(correlation.with_score),
      strongest->rank + 1, with_interval(strongest->correlation), residuals.policy);
  return text;
}

Mark verdict_mark(const Verdict& verdict) {
  const Identification decisive =
      verdict.pairs == Identification::none ? verdict.features : verdict.pairs;
  return decisive == Identification::identified ? Mark::good
         : decisive == Identification::weak     ? Mark::warning
                                                : Mark::bad;
}

Series by_rank(std::string label, const std::vector<std::size_t>& ranks,
               const std::vector<double>& values) {
  Series series{.label = std::move(label), .y = values, .markers = true};
  for (const std::size_t rank : ranks) series.x.push_back(static_cast<double>(rank + 1));
  return series;
}

Chart estimate_chart(std::string title, std::string label, const PolicyResiduals& residuals,
                     Estimate ResidualCorrelation::AtRank::*estimate) {
  Series series{.markers = true};
  for (const auto& at : residuals.correlation.ranks) {
    const Estimate& e = at.*estimate;
    series.x.push_back(static_cast<double>(at.rank + 1));
    series.y.push_back(e.value);
    series.low.push_back(e.lower());
    series.high.push_back(e.upper());
  }
  return {.title = std::move(title),
          .x = {.label = "rank", .integer = true},
          .y = {.label = std::move(label), .include_zero = true},
          .series = {std::move(series)}};
}

/// Breaks a text into lines of at most 100 characters; those after the first are indented by two.
std::string folded(const std::string& text) {
  std::string lines, line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (line.size() + word.size() > 100) {
      lines += line + "\n";
      line = "  ";
    }
    if (!line.empty() && line != "  ") line += ' ';
    line += word;
    at = end + 1;
  }
  return lines + line + "\n";
}

}  // namespace

ReportTable rank_table(const Diagnosis& d) {
  ReportTable table{
      .header = {"rank", "impressions", "click rate", "weakest link", "swaps", "error of bias"},
      .rows = {},
      .caption =
          "Weakest link on the widest path to the first rank, the swaps it is worth, and the "
          "standard error of the rank's bias logit."};
  if (d.overlap) table.header.insert(table.header.end(), {"AUC to rank before", "to first"});
  table.header.insert(table.header.end(), {"residual", "correlation"});
  for (std::size_t i = 0; i < d.graph.ranks.size(); ++i) {
    const auto& link = d.graph.weakest_links[i];
    std::vector<ReportCell> row = {fmt::format("{}", d.graph.ranks[i] + 1),
                                   group_digits(d.graph.impressions[i], 0),
                                   with_digits(d.graph.clicks[i] / d.graph.impressions[i], 4),
                                   link ? fmt::format("{}-{}", link->a + 1, link->b + 1) : "-",
                                   link ? group_digits(link->effective_swaps, 1) : "-",
                                   i == 0 ? "-" : with_digits(d.graph.standard_errors[i], 4)};
    if (d.overlap) {
      row.emplace_back(with_digits(d.overlap->from_rank_before[i], 3));
      row.emplace_back(with_digits(d.overlap->from_first[i], 3));
    }
    const auto& at_ranks = d.residuals.correlation.ranks;
    const auto at =
        std::ranges::find(at_ranks, d.graph.ranks[i], &ResidualCorrelation::AtRank::rank);
    row.emplace_back(at == at_ranks.end() ? "-" : with_digits(at->mean.value, 4));
    row.emplace_back(at == at_ranks.end() ? "-" : with_digits(at->correlation.value, 4));
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportTable combination_table(const BiasFeatureDiagnosis& d) {
  ReportTable table{.header = {"combination", "impressions", "click rate", "part", "error of bias",
                               "AUC of hardest step"},
                    .rows = {},
                    .caption =
                        "Parts are connected by query-document pairs. Errors are those of the "
                        "difference to the first combination."};
  std::vector<std::size_t> part(d.combinations.all.size());
  for (std::size_t p = 0; p < d.graph.components.size(); ++p)
    for (const std::size_t combination : d.graph.components[p]) part[combination] = p + 1;
  for (std::size_t i = 0; i < part.size(); ++i)
    table.rows.push_back({d.combinations.name(i), group_digits(d.graph.impressions[i], 0),
                          with_digits(d.graph.clicks[i] / d.graph.impressions[i], 4),
                          fmt::format("{}", part[i]),
                          i == 0 ? "-" : with_digits(d.graph.standard_errors[i], 4),
                          i == 0 ? "-" : with_digits(d.overlap.hardest_step[i], 3)});
  return table;
}

std::string diagnosis_text(const Diagnosis& d, const Verdict& verdict) {
  std::string text = folded(orders_text(d.orders));
  text += folded(policy_text(d));
  text += folded(residual_text(d.residuals));
  text +=
      fmt::format("\nverdict: {} (by query-document pairs: {}; by features: {})\n", verdict.answer,
                  identification_name(verdict.pairs), identification_name(verdict.features));
  for (const std::string& reason : verdict.reasons) text += folded("- " + reason);
  if (!verdict.advice.empty()) text += "\nadvice:\n";
  for (const std::string& advice : verdict.advice) text += folded("- " + advice);
  return text;
}

ArcDiagram rank_graph_picture(const RankGraph& graph) {
  ArcDiagram diagram{.title = "Ranks that share query-document pairs", .node_label = "rank"};
  for (const std::size_t rank : graph.ranks) diagram.nodes.push_back(fmt::format("{}", rank + 1));
  const auto node = [&](std::size_t rank) {
    return static_cast<std::size_t>(std::lower_bound(graph.ranks.begin(), graph.ranks.end(), rank) -
                                    graph.ranks.begin());
  };
  const std::vector<RankLink> widest = graph.widest_forest();
  double most = 1;
  for (const RankLink& link : graph.links) most = std::max(most, link.effective_swaps);
  for (const RankLink& link : graph.ranks.size() > 30 ? widest : graph.links) {
    const bool emphasized = std::any_of(widest.begin(), widest.end(), [&](const RankLink& w) {
      return w.a == link.a && w.b == link.b;
    });
    diagram.arcs.push_back(
        {.from = node(link.a),
         .to = node(link.b),
         .strength = std::clamp(std::log1p(link.effective_swaps) / std::log1p(most), 0., 1.),
         .tooltip = fmt::format("ranks {} and {}: {} pair{}, worth {} swaps", link.a + 1,
                                link.b + 1, group_digits(link.pairs, 0), link.pairs == 1 ? "" : "s",
                                group_digits(link.effective_swaps, 1)),
         .emphasized = emphasized});
  }
  return diagram;
}

Chart overlap_chart(const FeatureOverlap& overlap) {
  return {.title = "How well features tell ranks apart",
          .x = {.label = "rank", .integer = true},
          .y = {.label = "area under the ROC curve"},
          .series = {by_rank("from the rank before", overlap.ranks, overlap.from_rank_before),
                     by_rank("from the first rank", overlap.ranks, overlap.from_first)}};
}

std::vector<Chart> residual_charts(const PolicyResiduals& residuals) {
  return {estimate_chart("Click minus predicted probability", "mean", residuals,
                         &ResidualCorrelation::AtRank::mean),
          estimate_chart("Residual and policy score", "correlation", residuals,
                         &ResidualCorrelation::AtRank::correlation)};
}

Report diagnosis_report(const std::string& name, const Diagnosis& d, const Verdict& verdict) {
  const auto paragraphs = [](const std::vector<std::string>& texts) {
    return ReportText{fmt::format("{}", fmt::join(texts, "\n\n"))};
  };
  Report report{
      .title = fmt::format("Can position bias be identified? {}", name),
      .summary = fmt::format("{} training sessions{}, {} documents at {} ranks. ultr {}.",
                             group_digits(d.sessions), d.click_rates ? " with click rates" : "",
                             group_digits(d.documents), d.graph.ranks.size(), version()),
      .sections = {{fmt::format("Verdict: {}", verdict.answer),
                    {paragraphs(verdict.reasons)},
                    verdict_mark(verdict)}}};
  if (!verdict.advice.empty()) report.sections.push_back({"Advice", {paragraphs(verdict.advice)}});
  report.sections.push_back(
      {"Ranks",
       {ReportArcDiagram{.diagram = rank_graph_picture(d.graph),
                         .caption = "Thicker arcs are worth more swaps (log scale). In the other "
                                    "colour: the widest paths between ranks."},
        rank_table(d), ReportText{orders_text(d.orders)}}});
  if (d.bias_features)
    report.sections.push_back(
        {fmt::format("Combinations of {}", d.bias_features->combinations.dimensions()),
         {combination_table(*d.bias_features)}});
  ReportSection policy{"Logging policy", {ReportText{policy_text(d)}}};
  if (d.overlap)
    policy.blocks.emplace_back(ReportFigure{
        .charts = {overlap_chart(*d.overlap)},
        .caption = "Boosted trees, cross-validated over queries. 0.5: not at all, 1: always."});
  report.sections.push_back(std::move(policy));
  report.sections.push_back(
      {"Residuals",
       {ReportText{residual_text(d.residuals)},
        ReportFigure{.charts = residual_charts(d.residuals),
                     .columns = 2,
                     .caption = "With 95% intervals that allow for dependence within queries."}}});
  return report;
}

}  // namespace ultr
