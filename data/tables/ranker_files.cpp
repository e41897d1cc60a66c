#include "data/tables/ranker_files.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "data/text/csv_text.h"

namespace ultr {

RankerFiles::RankerFiles(const std::filesystem::path& folder, const std::string& stem,
                         Setting setting, const IdNames& names)
    : setting_(std::move(setting)), names_(names) {
  table_ = &create(folder / (stem + ".csv"));
  table_->write(table_header());
  if (setting_.format == "csv") return;
  const bool lightgbm = setting_.format == "lightgbm";
  const std::string rows = stem + (lightgbm ? ".txt" : ".svm");
  rows_ = &create(folder / rows);
  if (lightgbm) sizes_ = &create(folder / (rows + ".query"));
  if (!setting_.evidence) return;
  weights_ = &create(folder / (rows + ".weight"));
  if (lightgbm && setting_.positions) positions_ = &create(folder / (rows + ".position"));
}

std::string RankerFiles::table_header() const {
  std::string header = "query,document,label";
  if (setting_.evidence) header += ",weight,relevance,impressions,clicks,mean_position";
  if (setting_.format == "csv")
    for (const std::string& name : setting_.features) header += "," + csv_field(name);
  return header + "\n";
}

void RankerFiles::add_table_row(const RankerDocument& document, std::string& text) const {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{},{},{:.6g}", csv_field(names_.text(document.query)),
                 csv_field(names_.text(document.document)), document.label);
  if (const auto& evidence = document.evidence)
    fmt::format_to(out, ",{:.4g},{},{},{},{:.4g}", evidence->weight,
                   static_cast<float>(evidence->relevance), evidence->impressions, evidence->clicks,
                   evidence->mean_position);
  if (setting_.format == "csv")
    for (const float x : document.features) text += std::isnan(x) ? "," : fmt::format(",{}", x);
  text += '\n';
}

void RankerFiles::add_sparse_row(const RankerDocument& document, std::string& text) const {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{:.6g}", document.label);
  if (sizes_ == nullptr) fmt::format_to(out, " qid:{}", lists_);
  for (std::size_t i = 0; i < document.features.size(); ++i)
    if (const float x = document.features[i]; !std::isnan(x))
      fmt::format_to(out, " {}:{}", i + 1, x);
    else if (sizes_ != nullptr)  // LightGBM reads features that are left out as 0
      fmt::format_to(out, " {}:nan", i + 1);
  text += '\n';
}

void RankerFiles::add(std::span<const RankerDocument> list) {
  ++lists_;
  std::string table, rows, weights, positions;
  double sum = 0;
  for (const RankerDocument& document : list) {
    add_table_row(document, table);
    add_sparse_row(document, rows);
    const auto evidence = document.evidence.value_or(RankerDocument::Evidence{});
    sum += evidence.weight;
    weights += fmt::format("{:.4g}\n", evidence.weight);
    positions += fmt::format("{:.0f}\n", std::round(evidence.mean_position - 1));
  }
  table_->write(table);
  if (rows_ != nullptr) rows_->write(rows);
  if (sizes_ != nullptr) sizes_->write(fmt::format("{}\n", list.size()));
  if (weights_ != nullptr)
    weights_->write(sizes_ != nullptr
                        ? weights
                        : fmt::format("{:.4g}\n", sum / static_cast<double>(list.size())));
  if (positions_ != nullptr) positions_->write(positions);
}

void RankerFiles::finish() {
  for (NewFile& file : files_) file.finish();
}

}  // namespace ultr
