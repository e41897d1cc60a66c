#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "data/baidu_text.h"
#include "data/columns/columns.h"
#include "testing/temporary_folder.h"

/// A small valid input for every registered format, for tests that run over all of them. Such a
/// test fails for a format without a sample.
namespace ultr::testing {

struct FormatSample {
  std::string text;           // the file's content; empty if the format is a folder
  std::string bad_line = {};  // malformed line to append; belongs to no list
  std::map<std::string, std::string> beside = {};  // other files, by the suffix of their names
  std::string options = {};                        // YAML with which feature lists are read
};

/// Samples by format. As click logs they have sessions with documents and clicks; as feature lists,
/// 2 lists with 3 documents in all.
inline const std::map<std::string, FormatSample>& format_samples() {
  static const std::map<std::string, FormatSample> samples = {
      {"table",
       {.text = "session,query,document,position,click,price,height\n1,7,5,1,0,2.5,10\n"
                "1,7,6,2,1,-1,20\n2,8,5,1,0,2.5,10\n",
        .bad_line = "3,9,5,1",
        .options = "columns: {features: [price], bias_features: [height]}\n"}},
      {"tiangong",
       {.text = "1\t7\t[5, 6]\t[1, 1]\t[0, 1]\n1\t8\t[5]\t[1]\t[0]\n", .bad_line = "1"}},
      {"yandex", {.text = "1\t0\tQ\t7\t2\t5\t6\n1\t1\tC\t6\n2\t0\tQ\t8\t2\t5\n", .bad_line = "x"}},
      {"open_bandit", {.text = "item_id,position,click\n5,1,0\n6,2,1\n", .bad_line = "5,1"}},
      {"svmlight", {.text = "1 qid:7 1:1\n0 qid:7 2:3\n2 qid:8 1:2\n", .bad_line = "1 qid:9 0:1"}},
      {"lightgbm",
       {.text = "1 1:1\n0 2:3\n2 1:2\n", .bad_line = "1 0:1", .beside = {{".query", "2\n1\n"}}}},
      {"baidu_clicks",
       {.text = baidu_query({1, 2}) + baidu_document(1, 5, {4}, {5}, 0) +
                baidu_document(3, 6, {1}, {5}, 1) + baidu_query({3}) +
                baidu_document(1, 5, {4}, {5}, 0),
        .bad_line = "17\t4"}},
      {"baidu_annotations",
       {.text = baidu_annotation(0, {1, 2}, {4}, {5}, 0) +
                baidu_annotation(0, {1, 2}, {1}, {5}, 4) + baidu_annotation(0, {3}, {4}, {5}, 1),
        .bad_line = "0\t1\t2\t3\t5\t8"}},
      {"columns", {}},
  };
  return samples;
}

/// Writes the sample of a format to a folder and returns the path of the file (or folder). `more`
/// is appended to the text; `change` turns the text into the bytes of the file.
inline std::filesystem::path write_sample(
    const TemporaryFolder& folder, const std::string& format, const std::string& more = "",
    const std::function<std::string(const std::string&)>& change = {}) {
  const FormatSample& sample = format_samples().at(format);
  if (sample.text.empty()) {
    FeatureListsBuilder builder;
    for (std::uint64_t i = 0; i < 3; ++i) {
      if (i != 1) builder.start_list(7 + i);
      builder.add({.id = 5 + i, .click = std::uint8_t{i == 1}, .label = 1}, 2)[0] = 1;
    }
    write_columns(folder.path() / format, builder.build());
    return folder.path() / format;
  }
  const std::string text = sample.text + more;
  for (const auto& [suffix, content] : sample.beside) folder.write(format + suffix, content);
  return folder.write(format, change ? change(text) : text);
}

}  // namespace ultr::testing
