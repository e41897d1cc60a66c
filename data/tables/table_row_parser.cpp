#include "data/tables/table_row_parser.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "base/mix_bits.h"
#include "base/text/short_texts.h"
#include "base/text/text_hash.h"
#include "data/tables/table_cells.h"
#include "data/text/vocabulary.h"

namespace ultr {
namespace {

constexpr std::uint32_t most_sessions = 1'000'000'000;  // that a row stands for

TableRowParts parts_of(const TableLayout& layout, bool words) {
  TableRowParts parts{.clicks = layout.has_clicks(),
                      .labels = layout.label.exists(),
                      .propensities = layout.propensity.exists(),
                      .features = layout.features.size(),
                      .words = words,
                      .counts = layout.shape == TableShape::counted};
  for (const Signal signal : all_signals) parts.signals[signal] = layout.signals[signal].exists();
  return parts;
}

}  // namespace

/// Returns the number of a nonempty text, which is make() if it is not the latest one.
template <class Make>
std::uint64_t TableRowParser::LastText::number_of(std::string_view next, const Make& make) {
  if (!equal_texts(next, text)) {
    number = make();
    text = next;
  }
  return number;
}

TableBatch TableRowParser::parse(const TablePart& part) {
  TableRecords records(part, delimiter_);
  TableBatch batch{.rows = TableRowColumns(parts_)};
  records_ = &records;
  batch_ = &batch;
  while (read_record()) ++batch.records;
  batch.lines = records.lines();
  batch.unfinished = records.unfinished();
  return batch;
}

bool TableRowParser::read_record() {
  in_list_ = false;
  try {
    if (!records_->next()) return false;
  } catch (const MalformedRecord& error) {
    reject("quotes", error);
    return true;
  }
  if (!layout_) {
    if (!find_layout()) return false;
    if (setting_.table.header) return true;
  }
  try {
    read_row();
  } catch (const DataError& error) {
    reject(kind_, error);
  }
  return true;
}

bool TableRowParser::find_layout() {
  const auto fields = records_->fields();
  try {
    if (fields.front().starts_with("\xff\xfe") || fields.front().starts_with("\xfe\xff"))
      throw DataError("is UTF-16; expected UTF-8");
    layout_ = setting_.table.columns.find(
        setting_.table.header ? fields : std::span<const std::string_view>(), fields.size(),
        setting_.use);
  } catch (const DataError& error) {
    reject("columns", error);
    batch_->rejections.back().ends_table = true;
    return false;
  }
  parts_ = parts_of(*layout_, setting_.vocabulary != nullptr);
  batch_->rows = TableRowColumns(parts_);
  features_.resize(parts_.features);
  return true;
}

void TableRowParser::read_row() {
  const auto fields = records_->fields();
  kind_ = "number of columns";
  if (fields.size() != layout_->columns)
    throw DataError(fmt::format("{} columns; expected {} as in the {}", fields.size(),
                                layout_->columns, setting_.table.header ? "header" : "first row"));
  const auto cell = [&](const TableColumn& column) {
    kind_ = column.label;
    return fields[column.at];
  };
  const TableLayout& at = *layout_;
  read_list(cell);
  if (parts_.words) read_words(cell);
  TableRow row{.features = features_, .words = {tokens_, types_}};
  read_numbers(cell, row);
  const std::uint64_t time = at.time.exists() ? parse_time(cell(at.time), at.time) : 0;
  const double weight = at.weight.exists() ? parse_weight(cell(at.weight), at.weight) : 1;
  row.document = id_of(parse_name(cell(at.document), at.document));
  batch_->rows.push_back(row);
  TableBatch::Run& run = batch_->runs.back();
  if (run.rows++ > 0) return;
  run.time = time;
  run.weight = weight;
}

template <class Cell>
void TableRowParser::read_numbers(Cell cell, TableRow& row) {
  const TableLayout& at = *layout_;
  const std::uint16_t least_position = setting_.table.first_position == "1" ? 1 : 0;
  if (at.position.exists())
    row.position = parse_position(cell(at.position), at.position, least_position);
  if (at.click.exists()) row.click = parse_click(cell(at.click), at.click);
  if (at.impressions.exists()) {
    row.impressions = parse_count(cell(at.impressions), at.impressions, 0, most_sessions);
    row.clicks = parse_count(cell(at.clicks), at.clicks, 0, row.impressions);
  }
  if (at.label.exists()) row.label = parse_judgement(cell(at.label), at.label);
  if (at.propensity.exists()) row.propensity = read_propensity(cell(at.propensity));
  for (const Signal signal : all_signals)
    if (const TableColumn& column = at.signals[signal]; column.exists())
      row.signals[signal] = parse_signal(signal, cell(column), column);
  for (std::size_t i = 0; i < features_.size(); ++i)
    features_[i] =
        parse_feature_or_missing(cell(at.features[i]), at.features[i], setting_.missing_features);
}

template <class Cell>
void TableRowParser::read_words(Cell cell) {
  tokens_.clear();
  types_.clear();
  for (std::size_t type = 0; type < layout_->words.size(); ++type) {
    const TableColumn& column = layout_->words.at(type);
    if (!column.exists()) continue;
    for_each_word(cell(column), [&](std::string_view word) {
      tokens_.push_back(setting_.vocabulary->add(word));
      types_.push_back(static_cast<std::uint8_t>(type));
    });
  }
}

float TableRowParser::read_propensity(std::string_view cell) const {
  const float propensity = parse_propensity(cell, layout_->propensity);
  if (std::isnan(propensity) && setting_.table.sorted)
    throw DataError(
        fmt::format("{} is empty; expected a number above 0 and at most 1, since "
                    "lists are passed on before all propensities are known",
                    layout_->propensity.label));
  return propensity;
}

/// Finds the list of the current row.
template <class Cell>
void TableRowParser::read_list(Cell cell) {
  const TableLayout& at = *layout_;
  std::uint64_t query = 0;
  if (at.query.exists()) {
    const std::string_view name = parse_name(cell(at.query), at.query);
    query = last_query_.number_of(name, [&] { return id_of(name); });
  }
  // Not hashed with a seed: a seed can undo a difference between short texts.
  std::uint64_t key = mix_bits(query);
  for (const auto& [column, last] :
       {std::pair(&at.user, &last_user_), std::pair(&at.session, &last_session_)}) {
    if (!column->exists()) continue;
    const std::string_view name = parse_name(cell(*column), *column);
    key = mix_bits(key + last->number_of(name, [&] { return hash_text(name); }));
  }
  enter_list(parts_.counts ? 0 : key, query);
}

void TableRowParser::enter_list(std::uint64_t key, std::uint64_t query) {
  in_list_ = true;
  const std::uint64_t line = records_->line();
  const auto goes_on = [&](const TableBatch::Run& run) {
    return !parts_.counts && run.key == key && run.line + run.rows == line;
  };
  if (batch_->runs.empty() || !goes_on(batch_->runs.back()))
    batch_->runs.push_back({.key = key, .query = query, .line = line});
}

std::uint64_t TableRowParser::id_of(std::string_view name) {
  if (!setting_.keep_names) return IdNames::id_of(name);
  const IdNames::Key key = IdNames::Key::of(name);
  if (!key.is_number && !recent_names_.has(key)) batch_->names.add(key, name);
  return key.id;
}

void TableRowParser::reject(std::string_view kind, const DataError& error) {
  batch_->rejections.push_back({.runs = batch_->runs.size(),
                                .in_list = in_list_,
                                .line = records_->line(),
                                .kind = kind,
                                .error = DataError(error.what())});
}

}  // namespace ultr
