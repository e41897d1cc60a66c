#include "data/tables/table_reading.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/core.h>

#include "base/error.h"
#include "base/mix_bits.h"
#include "base/text/short_texts.h"
#include "base/text/text_hash.h"
#include "data/log/id_name_queue.h"
#include "data/tables/table_cells.h"
#include "data/tables/table_notes.h"
#include "data/tables/table_records.h"
#include "data/tables/table_rows.h"
#include "data/text/line_fields.h"
#include "data/text/vocabulary.h"

namespace ultr {
namespace {

/// The text of a column in the latest row, which the next row often repeats, and its number.
struct LastText {
  std::string text;
  std::uint64_t number = 0;

  /// Returns the number of a nonempty text, which is make() if it is not the latest one.
  template <class Make>
  std::uint64_t number_of(std::string_view next, const Make& make) {
    if (!equal_texts(next, text)) {
      number = make();
      text = next;
    }
    return number;
  }
};

/// A file of a table while it is read.
class TableReading {
 public:
  TableReading(const TableSetting& setting, TableUse use, const std::filesystem::path& file,
               const ReadRules& rules, const std::function<void(const RawList&)>& take,
               Vocabulary* vocabulary)
      : setting_(setting),
        use_(use),
        file_(file),
        rules_(rules),
        take_(take),
        vocabulary_(vocabulary),
        records_(file, setting.delimiter_character()),
        most_bytes_(setting.memory_for_rows()) {
    if (rules.names != nullptr) names_.emplace(*rules.names);
  }

  ReadReport read() {
    while (next_record()) {
      if (!layout_) start();
      if (!reads_rows_) {
        reads_rows_ = true;  // this record is the header
        continue;
      }
      try_row();
    }
    if (names_) names_->finish();
    if (layout_) pass_on();
    report_.lists = static_cast<std::uint64_t>(std::llround(counts_.lists));
    report_.truncated = counts_.truncated;
    expect_lists(file_, report_, "a header and at least one row");
    if (layout_)
      report_.notes = table_notes({.layout = *layout_,
                                   .first_position = first_position_,
                                   .kinds = kinds_,
                                   .counts = counts_});
    return std::move(report_);
  }

 private:
  /// Reads the next record that is well-formed. Returns false at the end of the file.
  bool next_record() {
    for (;;) {
      try {
        const bool more = records_.next();
        tell_progress();
        report_.lines += more ? 1 : 0;
        return more;
      } catch (const MalformedRecord& error) {
        ++report_.lines;
        reject("quotes", records_.line(), error);
      }
    }
  }

  void tell_progress() {
    const std::uint64_t bytes = records_.bytes_read();
    if (rules_.progress && bytes > told_) rules_.progress(bytes - told_);
    told_ = bytes;
  }

  /// Finds the columns, from the header or the first row.
  void start() {
    const auto fields = records_.fields();
    try {
      if (fields.front().starts_with("\xff\xfe") || fields.front().starts_with("\xfe\xff"))
        throw DataError("is UTF-16; expected UTF-8");
      layout_ = setting_.columns.find(
          setting_.header ? fields : std::span<const std::string_view>(), fields.size(), use_);
    } catch (const DataError& error) {
      throw DataError(fmt::format("{}:{}: {}", file_.string(), records_.line(), error.what()));
    }
    reads_rows_ = !setting_.header;
    PerSignal<bool> signals;
    for (const Signal signal : all_signals) signals[signal] = layout_->signals[signal].exists();
    rows_.emplace(TableRows::Setting{.clicks = layout_->has_clicks(),
                                     .labels = layout_->label.exists(),
                                     .propensities = layout_->propensity.exists(),
                                     .features = layout_->features.size(),
                                     .words = vocabulary_ != nullptr,
                                     .counts = layout_->shape == TableShape::counted,
                                     .times = layout_->time.exists(),
                                     .weights = layout_->weight.exists(),
                                     .signals = signals});
    features_.resize(layout_->features.size());
  }

  void try_row() {
    try {
      read_row();
    } catch (const DataError& error) {
      reject(kind_, records_.line(), error);
    }
    constexpr std::size_t rows_between_checks = 4096;
    if (rows_->rows() % rows_between_checks == 0) expect_memory();
  }

  void read_row() {
    const auto fields = records_.fields();
    kind_ = "number of columns";
    if (fields.size() != layout_->columns)
      throw DataError(fmt::format("{} columns; expected {} as in the {}", fields.size(),
                                  layout_->columns, setting_.header ? "header" : "first row"));
    const auto cell = [&](const TableColumn& column) {
      kind_ = column.label;
      return fields[column.at];
    };
    const std::uint32_t list = read_list(cell);
    if (vocabulary_ != nullptr) read_words(cell);
    TableRow row{.line = records_.line(), .features = features_, .words = {tokens_, types_}};
    const std::uint32_t rank = rows_->count_row(list);
    const TableLayout& at = *layout_;
    row.position = at.position.exists()
                       ? parse_position(cell(at.position), at.position, least_position_)
                       : position_of_rank(rank);
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
          parse_feature_or_missing(cell(at.features[i]), at.features[i], rules_.missing_features);
    if (at.time.exists()) rows_->set_time(list, parse_time(cell(at.time), at.time));
    if (at.weight.exists()) rows_->set_weight(list, parse_weight(cell(at.weight), at.weight));
    row.document = id_of(parse_name(cell(at.document), at.document));
    rows_->add(list, row);
  }

  template <class Cell>
  void read_words(Cell cell) {
    tokens_.clear();
    types_.clear();
    for (std::size_t type = 0; type < layout_->words.size(); ++type) {
      const TableColumn& column = layout_->words.at(type);
      if (!column.exists()) continue;
      for_each_word(cell(column), [&](std::string_view word) {
        tokens_.push_back(vocabulary_->add(word));
        types_.push_back(static_cast<std::uint8_t>(type));
      });
    }
  }

  float read_propensity(std::string_view cell) const {
    const float propensity = parse_propensity(cell, layout_->propensity);
    if (std::isnan(propensity) && setting_.sorted)
      throw DataError(
          fmt::format("{} is empty; expected a number above 0 and at most 1, since "
                      "lists are passed on before all propensities are known",
                      layout_->propensity.label));
    return propensity;
  }

  /// Returns the number of the row's list.
  template <class Cell>
  std::uint32_t read_list(Cell cell) {
    const TableLayout& at = *layout_;
    std::uint64_t query = 0;
    if (at.query.exists()) {
      const std::string_view name = parse_name(cell(at.query), at.query);
      query = last_query_.number_of(name, [&] { return id_of(name); });
    }
    constexpr std::size_t rows_at_once = std::size_t{1} << 16;
    const bool may_pass_on = rows_->rows() >= rows_at_once;
    if (at.shape == TableShape::counted) {
      if (may_pass_on && setting_.first_position != "found") pass_on();
      return rows_->new_list(query);
    }
    // Not hashed with a seed: a seed can undo a difference between short texts.
    std::uint64_t key = mix_bits(query);
    for (const auto& [column, last] :
         {std::pair(&at.user, &last_user_), std::pair(&at.session, &last_session_)}) {
      if (!column->exists()) continue;
      const std::string_view name = parse_name(cell(*column), *column);
      key = mix_bits(key + last->number_of(name, [&] { return hash_text(name); }));
    }
    if (setting_.sorted && key != last_key_ && may_pass_on) pass_on();
    last_key_ = key;
    return rows_->list_of(key, query);
  }

  static std::uint16_t position_of_rank(std::uint32_t rank) {
    if (rank >= largest_table_position)
      throw DataError(
          fmt::format("row {} of its list; expected at most {}", rank + 1, largest_table_position));
    return static_cast<std::uint16_t>(rank);
  }

  std::uint64_t id_of(std::string_view name) {
    return names_ ? names_->add(name) : IdNames::id_of(name);
  }

  void expect_memory() const {
    constexpr double gigabyte = 1e9;
    if (rows_->bytes() <= most_bytes_) return;
    const TableColumn& list = layout_->session.exists() ? layout_->session : layout_->query;
    const std::string remedy =
        layout_->shape == TableShape::counted ? "data.first_position"
        : list.exists()
            ? fmt::format("rows sorted by list (sort -s -t '{}' -k {},{}) and data.sorted: true",
                          setting_.delimiter, list.at + 1, list.at + 1)
            : "a larger data.row_memory";
    throw DataError(fmt::format(
        "{}:{}: the rows so far take more than {:.3g} GB; expected fewer, or {}", file_.string(),
        records_.line(), static_cast<double>(most_bytes_) / gigabyte, remedy));
  }

  std::uint16_t found_first_position() const {
    if (!layout_->position.exists() || setting_.first_position == "0") return 0;
    if (setting_.first_position == "1") return 1;
    return rows_->smallest_position() == 0 ? 0 : 1;
  }

  void pass_on() {
    if (rows_->rows() == 0) return;
    first_position_ = found_first_position();
    rows_->pass_on(
        first_position_, rules_, take_,
        [&](std::uint64_t line, const DataError& error) { reject("list", line, error); }, counts_);
  }

  void reject(std::string_view kind, std::uint64_t line, const DataError& error) {
    reject_or_skip(file_, line, error, rules_, report_);
    ++kinds_[std::string(kind)];
  }

  static constexpr std::uint32_t most_sessions = 1'000'000'000;  // that a row stands for

  const TableSetting& setting_;
  TableUse use_;
  const std::filesystem::path& file_;
  const ReadRules& rules_;
  const std::function<void(const RawList&)>& take_;
  Vocabulary* vocabulary_;  // null: words are not read
  TableRecords records_;
  std::size_t most_bytes_;
  std::optional<TableLayout> layout_;  // once the first record was read
  bool reads_rows_ = false;
  std::optional<TableRows> rows_;
  std::optional<IdNameQueue> names_;
  std::vector<float> features_;  // of the current row, like the next
  std::vector<std::uint32_t> tokens_;
  std::vector<std::uint8_t> types_;
  std::string_view kind_;  // of the error that reading a row meets
  LastText last_query_, last_user_, last_session_;
  std::uint64_t last_key_ = 0;
  std::uint64_t told_ = 0;  // bytes reported as progress
  std::uint16_t first_position_ = 0;
  std::uint16_t least_position_ = setting_.first_position == "1" ? 1 : 0;  // that a cell may have
  std::map<std::string, std::uint64_t> kinds_;
  TableRows::Counts counts_;
  ReadReport report_;
};

}  // namespace

ReadReport read_table(const TableSetting& setting, TableUse use, const std::filesystem::path& file,
                      const ReadRules& rules, const std::function<void(const RawList&)>& take,
                      Vocabulary* vocabulary) {
  return TableReading(setting, use, file, rules, take, vocabulary).read();
}

}  // namespace ultr
