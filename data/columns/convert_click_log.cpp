#include "data/columns/convert_click_log.h"

#include <fmt/core.h>

#include "base/error.h"
#include "data/columns/log_writer.h"
#include "data/columns/pair_numbering.h"
#include "data/log/id_names.h"
#include "data/log/list_id_queue.h"
#include "data/text/line_fields.h"
#include "options/config_tree.h"

namespace ultr {

void ClickLogConversion::fields(Fields& f) {
  constexpr double most_rows = 4294967296;  // 2^32
  constexpr double most_gigabytes = 1e6;
  reading_.fields(f);
  f.word("ids", ids_,
         "Rows of query-document pairs: sort gives each its own, in order of first appearance; "
         "hash gives each one of hash_rows, which pairs may share.",
         {"sort", "hash"});
  f.number("memory", memory_,
           "Gigabytes of memory for the table of pairs with ids: sort; further pairs are sorted on "
           "disk.",
           {.low = 0, .high = most_gigabytes, .low_open = true});
  f.integer("hash_rows", hash_rows_,
            "Number of rows with ids: hash; row 0 is that of unknown pairs.",
            between(0, most_rows));
  f.text("dictionary", dictionary_,
         "A converted folder whose rows the pairs of validation and test files get; pairs that it "
         "lacks get row 0.");
  format_->fields(f);
}

void ClickLogConversion::check() const {
  if (ids_ == "hash" && hash_rows_ < 2)
    throw ConfigError(fmt::format(
        "hash_rows is {}; expected at least 2 with ids=hash, better twice the pairs", hash_rows_));
  if (ids_ != "hash" && hash_rows_ != 0)
    throw ConfigError("hash_rows is given, but ids is sort; expected ids=hash");
  if (!dictionary_.empty() && ids_ == "hash")
    throw ConfigError("ids=hash and dictionary are both given; expected one of them");
}

void ClickLogConversion::locate_files(
    const std::function<std::string(const std::string& file)>& find) {
  if (!dictionary_.empty()) dictionary_ = find(dictionary_);
}

std::unique_ptr<PairColumnWriter> ClickLogConversion::pairs(
    const std::filesystem::path& folder, const std::function<void()>& check) const {
  constexpr double gigabyte = 1e9;
  if (!dictionary_.empty()) return known_pairs(folder, dictionary_, check);
  if (ids_ == "hash") return hashed_pairs(folder, hash_rows_);
  return std::make_unique<PairNumbering>(folder, static_cast<std::size_t>(memory_ * gigabyte));
}

std::string ClickLogConversion::convert(const Files& files, const std::filesystem::path& folder,
                                        const std::function<void(std::uint64_t bytes)>& progress,
                                        std::vector<std::string>& notes) const {
  ReadRules rules = reading_.rules();
  rules.progress = progress;
  IdNames names;
  rules.names = &names;
  const auto check = [&] { progress(0); };
  const std::unique_ptr<PairColumnWriter> pair_column = pairs(folder, check);
  ListIdQueue pairs_of_lists([&](const ListIds& lists) { pair_column->add(lists); });
  LogWriter columns(folder, {.documents = !pair_column->keeps_ids(), .check = check});
  const auto write = [&](const RawList& list) {
    columns.require_same_columns(list);
    const std::uint64_t times = list.times("columns have no weights");
    try {
      for (std::uint64_t time = 0; time < times; ++time) {
        columns.add(list);
        pairs_of_lists.add(list.query, list.documents);
      }
    } catch (const DataError& error) {
      throw LocatedError(error.what());  // not the line is to blame, but a file that is written
    }
  };
  const LogReader read = format_->reader();
  for (const std::filesystem::path& file : files)
    add_notes(file, read(file, rules, write), rules, notes);
  pairs_of_lists.finish();
  pair_column->finish(check);
  columns.finish();
  names.save(folder);
  if (pair_column->documents() != columns.documents())
    throw Error(fmt::format("ClickLogConversion: rows of {} documents; expected {}",
                            pair_column->documents(), columns.documents()));
  std::string summary = fmt::format("{} lists, {} documents, {}", columns.lists(),
                                    columns.documents(), pair_column->summary());
  for (const auto& [name, there] :
       {std::pair("positions", columns.has_positions()), std::pair("labels", columns.has_labels()),
        std::pair("propensities", columns.has_propensities())})
    if (there) summary += fmt::format(", {}", name);
  for (const Signal signal : all_signals)
    if (columns.has(signal)) summary += fmt::format(", {}", type_of(signal).plural);
  if (columns.features() > 0) summary += fmt::format(", {} features", columns.features());
  return summary;
}

}  // namespace ultr
