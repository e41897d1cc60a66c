#include "data/formats/table.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/quote.h"
#include "base/text_hash.h"
#include "data/formats/table_records.h"
#include "data/formats/table_rows.h"
#include "data/log/id_names.h"
#include "data/text/line_fields.h"

namespace ultr {
namespace {

constexpr std::size_t most_quoted_cell = 40;
constexpr std::int64_t largest_position = 65535, largest_judgement = 31;

char delimiter_of(const std::string& option) {
  if (option == "tab" || option == "\\t") return '\t';
  if (option.size() == 1 && option != "\"" && option != "\n" && option != "\r") return option[0];
  throw ConfigError(fmt::format("data.delimiter is {}; expected one character, or tab",
                                quote(option, most_quoted_cell)));
}

std::size_t memory_for_rows(const std::optional<double>& gigabytes) {
  constexpr double gigabyte = 1e9;
  if (gigabytes) return static_cast<std::size_t>(*gigabytes * gigabyte);
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) / 2 *
         static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

[[noreturn]] void refuse(const TableColumn& column, std::string_view text,
                         std::string_view expected) {
  throw DataError(
      fmt::format("{} is {}; expected {}", column.label, quote(text, most_quoted_cell), expected));
}

std::string_view parse_name(std::string_view text, const TableColumn& column) {
  if (text.empty()) throw DataError(fmt::format("{} is empty; expected an id", column.label));
  return text;
}

std::uint8_t parse_click(std::string_view text, const TableColumn& column) {
  if (text == "0") return 0;
  if (text == "1") return 1;
  for (const std::string_view no : {"false", "False", "FALSE"})
    if (text == no) return 0;
  for (const std::string_view yes : {"true", "True", "TRUE"})
    if (text == yes) return 1;
  refuse(column, text, "0 or 1");
}

int parse_judgement(std::string_view text, const TableColumn& column) {
  const std::int64_t label = parse_integer(text, column.label, -2, largest_judgement);
  if (label == -1) refuse(column, text, "-2 (unjudged) or 0 to 31");
  return static_cast<int>(label);
}

/// Parses a number of up to 18 digits, or a date and time such as 2024-05-31T13:05:59.123Z, of
/// which parts may be missing from the right. Returns a number that orders times as they are.
std::uint64_t parse_time(std::string_view text, const TableColumn& column) {
  constexpr std::size_t most_digits = 18;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool number = std::all_of(text.begin(), text.end(), is_digit);
  std::string digits;
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd.dddddd";
  if (!number) {
    std::string_view date = text;
    if (date.ends_with('Z')) date.remove_suffix(1);
    for (std::size_t i = 0; i < date.size(); ++i) {
      const char expected = i < form.size() ? form[i] : 'd';
      const bool fits = expected == 'd'   ? is_digit(date[i])
                        : expected == 'T' ? date[i] == 'T' || date[i] == ' '
                                          : date[i] == expected;
      if (!fits) refuse(column, text, "a whole number or a time such as 2024-05-31T13:05:59");
      if (is_digit(date[i])) digits += date[i];
    }
    digits.resize(most_digits, '0');
  } else {
    digits = text;
  }
  if (digits.empty() || digits.size() > most_digits)
    refuse(column, text, "a whole number of up to 18 digits or a time such as 2024-05-31T13:05:59");
  return parse_id(digits, column.label);
}

/// A file of a table while it is read.
class TableReading {
 public:
  TableReading(const TableFormat::Setting& setting, const std::filesystem::path& file,
               const ReadRules& rules, const std::function<void(const RawList&)>& take)
      : setting_(setting),
        file_(file),
        rules_(rules),
        take_(take),
        records_(file, delimiter_of(setting.delimiter)),
        most_bytes_(memory_for_rows(setting.row_memory)) {}

  ReadReport read() {
    while (next_record()) {
      if (!layout_) start();
      if (!reads_rows_) {
        reads_rows_ = true;  // this record is the header
        continue;
      }
      try_row();
    }
    if (layout_) pass_on();
    report_.lists = counts_.lists;
    report_.truncated = counts_.truncated;
    expect_lists(file_, report_, "a header and at least one row");
    add_notes();
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
          setting_.header ? fields : std::span<const std::string_view>(), fields.size());
    } catch (const DataError& error) {
      throw DataError(fmt::format("{}:{}: {}", file_.string(), records_.line(), error.what()));
    }
    reads_rows_ = !setting_.header;
    rows_.emplace(TableRows::Setting{.clicks = layout_->shape != TableShape::judged,
                                     .labels = layout_->label.exists(),
                                     .propensities = layout_->propensity.exists(),
                                     .counts = layout_->shape == TableShape::counted,
                                     .times = layout_->time.exists()});
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
    const auto text = [&](const TableColumn& column) {
      kind_ = column.label;
      return parse_name(fields[column.at], column);
    };
    const std::uint32_t list = read_list(text);
    TableRow row{.line = records_.line()};
    const std::uint32_t rank = rows_->count_row(list);
    row.position = layout_->position.exists()
                       ? static_cast<std::uint16_t>(parse_integer(
                             text(layout_->position), layout_->position.label,
                             setting_.first_position == "1" ? 1 : 0, largest_position))
                       : position_of_rank(rank);
    if (layout_->click.exists()) row.click = parse_click(text(layout_->click), layout_->click);
    if (layout_->impressions.exists()) read_counts(text, row);
    if (layout_->label.exists()) row.label = parse_judgement(text(layout_->label), layout_->label);
    if (layout_->propensity.exists())
      row.propensity =
          static_cast<float>(parse_number(text(layout_->propensity), layout_->propensity.label,
                                          {.low = 0, .high = 1, .low_open = true}));
    if (layout_->time.exists())
      rows_->set_time(list, parse_time(text(layout_->time), layout_->time));
    row.document = id_of(text(layout_->document));
    rows_->add(list, row);
  }

  template <class Text>
  void read_counts(Text text, TableRow& row) {
    constexpr std::int64_t most = 1'000'000'000;
    row.impressions = static_cast<std::uint32_t>(
        parse_integer(text(layout_->impressions), layout_->impressions.label, 0, most));
    row.clicks = static_cast<std::uint32_t>(
        parse_integer(text(layout_->clicks), layout_->clicks.label, 0, row.impressions));
  }

  /// Returns the number of the row's list.
  template <class Text>
  std::uint32_t read_list(Text text) {
    std::uint64_t query = 0;
    if (layout_->query.exists()) {
      const std::string_view name = text(layout_->query);
      if (name != last_query_ || last_query_.empty()) {
        last_query_id_ = id_of(name);
        last_query_ = name;
      }
      query = last_query_id_;
    }
    if (layout_->shape == TableShape::counted) return rows_->new_list(query);
    const std::string_view session =
        layout_->session.exists() ? text(layout_->session) : std::string_view();
    const std::uint64_t key = hash_text(session, query);
    constexpr std::size_t rows_at_once = std::size_t{1} << 16;
    if (setting_.sorted && key != last_key_ && rows_->rows() >= rows_at_once) pass_on();
    last_key_ = key;
    return rows_->list_of(key, query);
  }

  static std::uint16_t position_of_rank(std::uint32_t rank) {
    if (rank >= largest_position)
      throw DataError(
          fmt::format("row {} of its list; expected at most {}", rank + 1, largest_position));
    return static_cast<std::uint16_t>(rank);
  }

  std::uint64_t id_of(std::string_view name) {
    return rules_.names != nullptr ? rules_.names->add(name) : IdNames::id_of(name);
  }

  void expect_memory() const {
    constexpr double gigabyte = 1e9;
    if (rows_->bytes() <= most_bytes_) return;
    throw DataError(fmt::format(
        "{}:{}: the rows so far take more than {:.3g} GB; expected fewer, or rows sorted by list "
        "(sort -s -t '{}' -k {},{}) and data.sorted: true",
        file_.string(), records_.line(), static_cast<double>(most_bytes_) / gigabyte,
        setting_.delimiter, layout_->session.at + 1, layout_->session.at + 1));
  }

  std::uint16_t first_position() const {
    if (!layout_->position.exists() || setting_.first_position == "0") return 0;
    if (setting_.first_position == "1") return 1;
    return rows_->smallest_position() == 0 ? 0 : 1;
  }

  void pass_on() {
    if (rows_->rows() == 0) return;
    rows_->pass_on(
        first_position(), rules_, take_,
        [&](std::uint64_t line, const DataError& error) { reject("list", line, error); }, counts_);
  }

  void reject(std::string_view kind, std::uint64_t line, const DataError& error) {
    reject_or_skip(file_, line, error, rules_, report_);
    ++kinds_[std::string(kind)];
  }

  void add_notes() {
    const auto note = [&](std::string text) { report_.notes.push_back(std::move(text)); };
    if (kinds_.size() > 1) {
      std::string kinds;
      for (const auto& [kind, count] : kinds_)
        kinds += fmt::format("{}{} for {}", kinds.empty() ? "" : ", ", count, kind);
      note("left out: " + kinds);
    }
    if (!layout_->query.exists())
      note("has no column 'query' (data.columns.query); all lists have the same query");
    if (counts_.with_duplicates > 0)
      note(fmt::format("{} of {} lists show a document twice, the first on line {}",
                       counts_.with_duplicates, counts_.lists, counts_.first_duplicate_line));
    if (counts_.at_first == 0)
      note(
          fmt::format("no list shows a document at position {}; expected positions that start "
                      "there (data.first_position)",
                      setting_.first_position == "0" ? 0 : 1));
    if (layout_->shape == TableShape::judged) return;
    if (counts_.clicks == 0)
      note("no document is clicked; expected clicks to learn from");
    else if (counts_.clicks == counts_.documents)
      note(
          "every document is clicked; expected the documents that were shown and not clicked, "
          "too");
  }

  const TableFormat::Setting& setting_;
  const std::filesystem::path& file_;
  const ReadRules& rules_;
  const std::function<void(const RawList&)>& take_;
  TableRecords records_;
  std::size_t most_bytes_;
  std::optional<TableLayout> layout_;  // once the first record was read
  bool reads_rows_ = false;
  std::optional<TableRows> rows_;
  std::string_view kind_;  // of the error that reading a row meets
  std::string last_query_;
  std::uint64_t last_query_id_ = 0, last_key_ = 0;
  std::uint64_t told_ = 0;  // bytes reported as progress
  std::map<std::string, std::uint64_t> kinds_;
  TableRows::Counts counts_;
  ReadReport report_;
};

}  // namespace

void TableFormat::fields(Fields& f) {
  f.section("columns", setting_.columns,
            "Columns of the table, by the names in its header or by number, from 1.");
  f.text("delimiter", setting_.delimiter, "Character between columns, or tab.");
  f.boolean("header", setting_.header,
            "The first row has the names of columns; else columns are numbers.");
  f.word("first_position", setting_.first_position,
         "Number of the first position; found: 0 if the file has one at 0, else 1.",
         {"found", "0", "1"});
  f.boolean("sorted", setting_.sorted,
            "The rows of each list are neighbours: memory does not grow with their number.");
  f.optional_number("row_memory", setting_.row_memory,
                    "Gigabytes that rows may take in memory; default: half of the machine's.",
                    above(0));
}

LogReader TableFormat::reader() const {
  delimiter_of(setting_.delimiter);  // throws if it is none
  if (setting_.sorted && setting_.first_position == "found")
    throw ConfigError(
        "data.sorted is true and data.first_position is 'found'; expected 0 or 1, since lists are "
        "passed on before all positions are known");
  if (setting_.sorted && !setting_.columns.time.empty())
    throw ConfigError(
        "data.sorted is true and data.columns.time is given; expected one of them, since lists are "
        "passed on before all times are known");
  return [setting = setting_](const auto& file, const auto& rules, const auto& take) {
    return TableReading(setting, file, rules, take).read();
  };
}

}  // namespace ultr
