#include "runs/analysis_report.h"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "report/markup.h"

namespace ultr {
namespace {

using AnalysisJson = nlohmann::ordered_json;

/// Shows a value; counts, which are whole numbers other than seeds, with separators of thousands.
std::string shown_value(const std::string& key, const AnalysisJson& value) {
  if (value.is_number_integer() && value >= 0 && !key.ends_with("seed"))
    return group_digits(value.get<std::uint64_t>());
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  return value.is_null() ? "-" : value.dump();
}

bool all_of_kind(const AnalysisJson& array, bool objects) {
  return !array.empty() && std::all_of(array.begin(), array.end(), [&](const AnalysisJson& item) {
    return objects ? item.is_object() : item.is_primitive();
  });
}

/// Collects the tables of an object and of all objects in it.
class Tables {
 public:
  void add(const AnalysisJson& object, const std::string& path) {
    std::map<std::size_t, ReportTable> by_length;
    for (const auto& [key, value] : object.items()) {
      const std::string name = path.empty() ? key : fmt::format("{}.{}", path, key);
      if (value.is_object())
        add(value, name);
      else if (!value.is_array())
        single_.rows.push_back({name, shown_value(name, value)});
      else if (all_of_kind(value, false))
        add_column(key, value, by_length[value.size()]);
      else if (all_of_kind(value, true))
        add_records(name, value);
    }
    for (auto& [length, table] : by_length)
      sections_.push_back({path.empty() ? "By entry" : path, {std::move(table)}});
  }

  std::vector<ReportSection> take() {
    sections_.insert(sections_.begin(), {"Results", {std::move(single_)}});
    return std::move(sections_);
  }

 private:
  static void add_column(const std::string& key, const AnalysisJson& values, ReportTable& table) {
    if (table.header.empty()) {
      table.header.emplace_back("number");
      for (std::size_t i = 0; i < values.size(); ++i)
        table.rows.push_back({fmt::format("{}", i + 1)});
    }
    table.header.push_back(key);
    for (std::size_t i = 0; i < values.size(); ++i)
      table.rows[i].emplace_back(shown_value(key, values[i]));
  }

  void add_records(const std::string& name, const AnalysisJson& records) {
    ReportTable table{.header = {}, .rows = {}};
    for (const AnalysisJson& record : records)
      for (const auto& [key, value] : record.items())
        if (std::find(table.header.begin(), table.header.end(), key) == table.header.end())
          table.header.push_back(key);
    for (const AnalysisJson& record : records) {
      std::vector<ReportCell>& row = table.rows.emplace_back();
      for (const std::string& key : table.header)
        row.emplace_back(record.contains(key) ? shown_value(key, record[key]) : "-");
    }
    sections_.push_back({name, {std::move(table)}});
  }

  ReportTable single_{.header = {"result", "value"}, .rows = {}};
  std::vector<ReportSection> sections_;
};

}  // namespace

Report analysis_report(const std::string& title, const AnalysisJson& results,
                       const std::string& config) {
  Tables tables;
  tables.add(results, "");
  Report report{.title = title, .summary = {}, .sections = tables.take()};
  report.sections.push_back({"Configuration", {ReportDetails{"config.yaml", config}}});
  return report;
}

}  // namespace ultr
