#include "data/formats/baidu_annotations.h"

#include <string>
#include <unordered_map>

#include "base/error.h"
#include "data/text/line_fields.h"

namespace ultr {

ReadReport BaiduAnnotationsFormat::read_lists(
    const std::filesystem::path& file, const ReadRules& rules, bool prepare,
    const std::function<void(const BaiduList&)>& take) const {
  std::vector<BaiduList> lists;  // in order of first appearance
  std::unordered_map<std::string, std::size_t> numbers;
  ReadReport report = for_each_line(file, rules, [&](std::string_view text, std::uint64_t) {
    const BaiduLine line = split_baidu_line(text);
    if (line.kind != BaiduLine::Kind::annotation)
      throw DataError(
          "a click log; expected an annotation: qid, query, title, abstract, label and "
          "bucket");
    BaiduDocument document = parse_baidu_document(line);
    std::vector<Token> words = parse_tokens(line.query, "a token of the query");
    const auto [found, added] = numbers.try_emplace(std::string(line.query), lists.size());
    if (added) lists.push_back({.query = text_id(line.query), .words = std::move(words)});
    if (!(prepare && is_placeholder(document.text.title)))
      lists[found->second].documents.push_back(std::move(document));
  });
  for (const BaiduList& list : lists) {
    if (list.documents.size() < (prepare ? fewest_prepared_documents : 1)) continue;
    take(list);
    ++report.lists;
  }
  return report;
}

}  // namespace ultr
