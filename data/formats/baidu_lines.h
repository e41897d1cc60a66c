#pragma once

#include <string_view>

#include "data/features/feature_lists_builder.h"
#include "data/features/lexical_features.h"
#include "data/text/raw_log.h"

namespace ultr {

/// A line of the Baidu-ULTR data (Zou et al., NeurIPS 2022 Datasets and Benchmarks). Fields are
/// separated by tabs. A click log has two kinds of lines:
///
///     qid ⇥ query ⇥ reformulation                   starts a list
///     position ⇥ url md5 ⇥ title ⇥ abstract ⇥ ... ⇥ click ⇥ ...    32 columns; counted from 0,
///                 5 is the click, 8 the skip, 10 the time that the document was displayed on the
///                 screen, and 16 the dwell time
///
/// A file of annotations has one:
///
///     qid ⇥ query ⇥ title ⇥ abstract ⇥ label ⇥ bucket
///
/// A text is a sequence of token numbers joined by \x01 and may be empty. Different queries share
/// qids, so the key of a query is its text.
struct BaiduLine {
  enum class Kind : std::uint8_t { query, document, annotation };
  Kind kind = Kind::query;
  // Fields as they stand in the file, empty where this kind of line has none. `url` is an md5.
  std::string_view query = {}, title = {}, abstract = {};
  std::string_view url = {}, position = {}, click = {}, label = {};
  std::string_view skip = {}, displayed_time = {}, dwell_time = {};
};

/// Splits a line of any of the three kinds. Throws DataError for any other number of fields.
BaiduLine split_baidu_line(std::string_view line);

/// Parses the tokens of a text; errors call a token `what`. Throws DataError unless every token is
/// an integer from 0 to largest_token.
std::vector<Token> parse_tokens(std::string_view text, std::string_view what);

/// A document and its words. In a click log it has position, click and an id, the first 64 bits of
/// its url's md5; in annotations a label and an id, a hash of its title and abstract.
struct BaiduDocument {
  FeatureDocument columns;
  TokenText text;
};
/// Parses a line of a document or an annotation. Throws DataError for a malformed url, position (1
/// to 65535 in the file), click (0 or 1), label (0 to 4), title or abstract.
BaiduDocument parse_baidu_document(const BaiduLine& line);

/// Parses the signals of a document in a click log. It was viewed if it was displayed for any time
/// at all. Cells that are empty or "-" are 0. Throws DataError for a skip that is neither 0 nor 1,
/// or times that are no numbers from 0 up.
PerSignal<std::optional<std::uint16_t>> parse_baidu_signals(const BaiduLine& line);

/// A query and its documents. Those of a click log are sorted by displayed position; positions may
/// have gaps.
struct BaiduList {
  std::uint64_t line = 0;   // of the query in a click log, from 1
  std::uint64_t query = 0;  // text_id of the query
  std::vector<Token> words = {};
  std::vector<BaiduDocument> documents = {};
};

/// Hashes a text to its id (64-bit FNV-1a). The same text has the same id in every run.
std::uint64_t text_id(std::string_view text);

/// Fewest documents of a list in the data preparation of Hager et al. (SIGIR 2024): they drop
/// placeholder documents, then lists with fewer documents than this. The other documents keep their
/// positions.
inline constexpr std::size_t fewest_prepared_documents = 5;
/// Returns true for the titles of placeholders: "what other people searched" and "-".
bool is_placeholder(const std::vector<Token>& title);

/// Adds the documents of a click log or a file of annotations to a corpus. Throws DataError with
/// file and line for a malformed line, unless rules.skip_malformed.
void read_baidu_corpus(const std::filesystem::path& file, const ReadRules& rules,
                       TokenCorpus& into);

}  // namespace ultr
