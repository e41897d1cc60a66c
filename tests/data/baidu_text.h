#pragma once

#include <string>
#include <vector>

/// Builders for lines of the Baidu-ULTR files.
namespace ultr::testing {

inline std::string baidu_tokens(const std::vector<int>& tokens) {
  std::string text;
  for (const int token : tokens) text += (text.empty() ? "" : "\x01") + std::to_string(token);
  return text;
}

inline std::string baidu_query(const std::vector<int>& words) {
  return "17\t" + baidu_tokens(words) + "\t\n";
}

/// Returns a document line of the click log. The url's md5 starts with the digits of `url`, padded
/// to 16. `skip`, `displayed_time` and `dwell_time` are cells.
inline std::string baidu_document(int position, int url, const std::vector<int>& title,
                                  const std::vector<int>& abstract, int click,
                                  const std::string& skip = "-",
                                  const std::string& displayed_time = "-",
                                  const std::string& dwell_time = "-") {
  const std::string number = std::to_string(url);
  std::string line = std::to_string(position) + "\t" + std::string(16 - number.size(), '0') +
                     number + "0123456789abcdef\t" + baidu_tokens(title) + "\t" +
                     baidu_tokens(abstract) + "\t0\t" + std::to_string(click);
  for (int column = 6; column < 32; ++column)
    line += "\t" + (column == 8    ? skip
                    : column == 9  ? "153.5"
                    : column == 10 ? displayed_time
                    : column == 16 ? dwell_time
                                   : "-");
  return line + "\n";
}

inline std::string baidu_annotation(int qid, const std::vector<int>& query,
                                    const std::vector<int>& title, const std::vector<int>& abstract,
                                    int label) {
  return std::to_string(qid) + "\t" + baidu_tokens(query) + "\t" + baidu_tokens(title) + "\t" +
         baidu_tokens(abstract) + "\t" + std::to_string(label) + "\t8\n";
}

}  // namespace ultr::testing
