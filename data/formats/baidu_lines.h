#pragma once

#include <string_view>

#include "data/features/lexical_features.h"
#include "data/formats/raw_log.h"

namespace ultr {

/// A line of the Baidu-ULTR data (Zou et al., NeurIPS 2022 Datasets and Benchmarks): of its click
/// log
///
///     qid ⇥ query ⇥ reformulation                   starts a list
///     position ⇥ url md5 ⇥ title ⇥ abstract ⇥ ... ⇥ click ⇥ ...    32 columns, click is number 5
///     from 0
///
/// or of its annotations
///
///     qid ⇥ query ⇥ title ⇥ abstract ⇥ label ⇥ bucket
///
/// Texts are numbers joined by \x01 and may be empty. Qids are shared by different queries: the
/// query's text is its key.
struct BaiduLine {
  enum class Kind : std::uint8_t { query, document, annotation };
  Kind kind = Kind::query;
  // As they stand; empty in lines that do not have them. The url is its md5.
  std::string_view query = {}, title = {}, abstract = {};
  std::string_view url = {}, position = {}, click = {}, label = {};
};

/// Splits a line of any of the three kinds. Throws DataError for another number of fields.
BaiduLine split_baidu_line(std::string_view line);

/// The words of a text. Throws DataError for what is no number up to largest_token.
std::vector<Token> parse_tokens(std::string_view text, std::string_view what);
/// Title and abstract of a document or an annotation.
TokenText parse_text(const BaiduLine& line);

/// A document of the click log.
struct BaiduDocument {
  std::uint64_t url = 0;       // the first 64 bits of the url's md5
  std::uint16_t position = 0;  // displayed, 0-based
  std::uint8_t click = 0;
  TokenText text = {};
};
/// Reads all of a document's line. Throws DataError for what is malformed.
BaiduDocument parse_baidu_document(const BaiduLine& line);
/// The label of an annotation, 0 to 4. Throws DataError for another.
std::int32_t parse_baidu_label(const BaiduLine& line);

/// A hash (FNV-1a) that stands for a text as its id, the same in all runs.
std::uint64_t text_id(std::string_view text);

/// How Hager et al. (SIGIR 2024) prepare the data: they leave out documents that are placeholders
/// and then lists with fewer than five. The others keep their positions.
inline constexpr std::size_t fewest_prepared_documents = 5;
/// Whether a title is "what other people searched" or "-".
bool is_placeholder(const std::vector<Token>& title);

/// Adds the documents of a file, click log or annotations, to a corpus. Malformed lines are refused
/// or left out as the rules say.
void read_baidu_corpus(const std::filesystem::path& file, const ReadRules& rules,
                       TokenCorpus& into);

}  // namespace ultr
