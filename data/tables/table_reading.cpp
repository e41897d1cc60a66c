#include "data/tables/table_reading.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "base/error.h"
#include "data/tables/table_batches.h"
#include "data/tables/table_cells.h"
#include "data/tables/table_notes.h"
#include "data/tables/table_rows.h"
#include "data/text/line_fields.h"

namespace ultr {
namespace {

/// Gathers the rows of a file into lists, which are passed on.
class TableReading {
 public:
  TableReading(const TableSetting& setting, TableUse use, const std::filesystem::path& file,
               const ReadRules& rules, const std::function<void(const RawList&)>& take,
               Vocabulary* vocabulary)
      : setting_(setting),
        file_(file),
        rules_(rules),
        take_(take),
        batches_(file, {.table = setting,
                        .use = use,
                        .missing_features = rules.missing_features,
                        .keep_names = rules.names != nullptr,
                        .vocabulary = vocabulary}),
        most_bytes_(setting.memory_for_rows()) {}

  ReadReport read() {
    batches_.for_each([this](TableBatch& batch) { add(batch); });
    if (rows_) pass_on();
    report_.lists = counts_.lists;
    report_.truncated = counts_.truncated;
    report_.times = counts_.times;
    expect_lists(file_, report_, "a header and at least one row");
    if (rows_)
      report_.notes = table_notes({.layout = *batches_.layout(),
                                   .first_position = first_position_,
                                   .kinds = kinds_,
                                   .counts = counts_});
    return std::move(report_);
  }

 private:
  /// Adds the rows of a batch to their lists.
  void add(TableBatch& batch) {
    if (!rows_ && batches_.layout()) start();
    tell_progress(batch.bytes_read);
    report_.lines += batch.records;
    if (rules_.names != nullptr) batch.names.add_to(*rules_.names);
    lines_before_ = batch.lines_before;
    auto rejection = batch.rejections.begin();
    const auto reject_after = [&](std::size_t runs) {
      for (; rejection != batch.rejections.end() && rejection->runs <= runs; ++rejection)
        reject(*rejection);
    };
    std::size_t row = 0;
    for (std::size_t i = 0; i < batch.runs.size(); row += batch.runs[i++].rows) {
      reject_after(i);
      add_run(batch, batch.runs[i], row);
    }
    reject_after(batch.runs.size());
  }

  void start() {
    if (rules_.by_time && batches_.layout()->shape == TableShape::counted)
      throw DataError(fmt::format(
          "{}: is a table of counts ({}), which have no time; expected data.split.by to be session "
          "or query",
          file_.string(), batches_.layout()->impressions.label));
    rows_.emplace(TableRows::Setting{.parts = batches_.parts(),
                                     .times = batches_.layout()->time.exists(),
                                     .weights = batches_.layout()->weight.exists()});
  }

  void tell_progress(std::uint64_t bytes) {
    if (bytes <= told_) return;
    if (rules_.progress) rules_.progress(bytes - told_);
    told_ = bytes;
  }

  /// Adds a run, whose first row is row `first` of the batch.
  void add_run(TableBatch& batch, const TableBatch::Run& run, std::size_t first) {
    list_ = list_of(run);
    const std::uint32_t rank = rows_->count_rows(list_, run.rows);
    std::uint32_t count = run.rows;
    if (!batches_.layout()->position.exists()) {
      constexpr std::uint32_t most = largest_table_position;
      count = std::min(count, most - std::min(rank, most));
      for (std::uint32_t k = 0; k < count; ++k)
        batch.rows.positions[first + k] = static_cast<std::uint16_t>(rank + k);
    }
    if (count > 0) add_rows(batch, run, first, count);
    for (std::uint32_t k = count; k < run.rows; ++k)
      reject("length of the list", lines_before_ + run.line + k,
             DataError(fmt::format("row {} of its list; expected at most {}", rank + k + 1,
                                   largest_table_position)));
  }

  void add_rows(const TableBatch& batch, const TableBatch::Run& run, std::size_t first,
                std::size_t count) {
    constexpr std::size_t rows_between_checks = 4096;
    if (batches_.layout()->time.exists()) rows_->set_time(list_, run.time);
    if (batches_.layout()->weight.exists()) rows_->set_weight(list_, run.weight);
    const std::size_t before = rows_->rows() / rows_between_checks;
    rows_->add(list_, batch.rows, first, count, lines_before_ + run.line);
    if (rows_->rows() / rows_between_checks != before)
      expect_memory(lines_before_ + run.line + count - 1);
  }

  /// Returns the number of a run's list. Before a new list, those that are complete are passed on
  /// once they are many.
  std::uint32_t list_of(const TableBatch::Run& run) {
    constexpr std::size_t rows_at_once = std::size_t{1} << 16;
    const bool may_pass_on = rows_->rows() >= rows_at_once;
    if (batches_.layout()->shape == TableShape::counted) {
      if (may_pass_on && setting_.first_position != "found") pass_on();
      return rows_->new_list(run.query);
    }
    if (setting_.sorted && run.key != last_key_ && may_pass_on) pass_on();
    last_key_ = run.key;
    return rows_->list_of(run.key, run.query);
  }

  void expect_memory(std::uint64_t line) const {
    constexpr double gigabyte = 1e9;
    if (rows_->bytes() <= most_bytes_) return;
    const TableLayout& layout = *batches_.layout();
    const TableColumn& list = layout.session.exists() ? layout.session : layout.query;
    const std::string remedy =
        layout.shape == TableShape::counted ? "data.first_position"
        : list.exists()
            ? fmt::format("rows sorted by list (sort -s -t '{}' -k {},{}) and data.sorted: true",
                          setting_.delimiter, list.at + 1, list.at + 1)
            : "a larger data.row_memory";
    throw DataError(
        fmt::format("{}:{}: the rows so far take more than {:.3g} GB; expected fewer, or {}",
                    file_.string(), line, static_cast<double>(most_bytes_) / gigabyte, remedy));
  }

  std::uint16_t found_first_position() const {
    if (!batches_.layout()->position.exists() || setting_.first_position == "0") return 0;
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

  void reject(const TableBatch::Rejection& rejection) {
    const std::uint64_t line = lines_before_ + rejection.line;
    if (rejection.in_list) rows_->count_rows(list_, 1);
    if (rejection.ends_table)
      throw DataError(fmt::format("{}:{}: {}", file_.string(), line, rejection.error.what()));
    reject(rejection.kind, line, rejection.error);
  }

  void reject(std::string_view kind, std::uint64_t line, const DataError& error) {
    reject_or_skip(file_, line, error, rules_, report_);
    ++kinds_[std::string(kind)];
  }

  const TableSetting& setting_;
  const std::filesystem::path& file_;
  const ReadRules& rules_;
  const std::function<void(const RawList&)>& take_;
  TableBatches batches_;
  std::size_t most_bytes_;
  std::optional<TableRows> rows_;  // once there is a layout
  std::uint32_t list_ = 0;         // of the latest run
  std::uint64_t last_key_ = 0;
  std::uint64_t lines_before_ = 0;  // the current batch
  std::uint64_t told_ = 0;          // bytes reported as progress
  std::uint16_t first_position_ = 0;
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
