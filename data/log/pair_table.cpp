#include "data/log/pair_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace ultr {
namespace {

constexpr std::size_t line_words = 8;  // 64-bit words per cache line
constexpr std::size_t line_bytes = line_words * sizeof(std::uint64_t);
constexpr std::size_t first_queries = 16, first_lines = 32;
constexpr std::size_t small_documents = 42;  // at most, in a small block; it is searched linearly
constexpr std::uint32_t no_block = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t last_row = std::numeric_limits<std::uint32_t>::max();

/// Returns log2 of the lines that a block of so many documents takes. A pair takes 12 bytes. In a
/// large block it counts 16, so that the block is at most three quarters full.
std::size_t level_of(std::size_t documents) {
  const std::size_t bytes = documents * (documents <= small_documents ? 12 : 16);
  return static_cast<std::size_t>(std::bit_width(bytes == 0 ? 0 : (bytes - 1) / line_bytes));
}

/// Compares 8 words with `word`; bit i of the result is set if words[i] is equal.
unsigned equal_words(const std::uint64_t* words, std::uint64_t word) {
#if defined(__AVX512F__)
  return _mm512_cmpeq_epi64_mask(_mm512_loadu_si512(words),
                                 _mm512_set1_epi64(static_cast<long long>(word)));
#elif defined(__AVX2__)
  const __m256i same = _mm256_set1_epi64x(static_cast<long long>(word));
  const auto equal = [&](const std::uint64_t* four) {
    const __m256i values = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(four));
    const __m256d lanes = _mm256_castsi256_pd(_mm256_cmpeq_epi64(values, same));
    return static_cast<unsigned>(_mm256_movemask_pd(lanes));
  };
  return equal(words) | equal(words + 4) << 4;
#else
  unsigned equal = 0;
  for (std::size_t i = 0; i < line_words; ++i)
    equal |= static_cast<unsigned>(words[i] == word) << i;
  return equal;
#endif
}

/// The block of a query: the lines for its documents. All documents come first, one word each, then
/// all rows, half a word each. A small block stores documents in the order of their addition. A
/// large block is a hash table with linear probing, where row 0 marks a free place.
template <class Word>
class Block {
 public:
  Block(Word* words, std::size_t documents)
      : words_(words), documents_(documents), capacity_(2 * words_of(documents) / 3) {}

  /// Returns the row of a document, 0 if it is not in the block.
  std::uint32_t find(std::uint64_t document) const {
    if (documents_ > small_documents) return row(probe(document));
    // Compares all documents, eight at a time: a mispredicted early exit costs more than the
    // comparisons that it saves. A block is whole lines, so that there are always eight words.
    std::uint64_t equal = 0;
    for (std::size_t first = 0; first < documents_; first += line_words)
      equal |= std::uint64_t{equal_words(words_ + first, document)} << first;
    const auto i = static_cast<std::size_t>(std::countr_zero(equal));
    return i < documents_ ? row(i) : 0;
  }
  /// Stores a new document, the `number`-th (0-based) of the block. The block must have been
  /// constructed for a count that includes it.
  void put(std::uint64_t document, std::uint32_t row, std::size_t number) {
    const std::size_t i = documents_ > small_documents ? probe(document) : number;
    words_[i] = document;
    std::memcpy(reinterpret_cast<char*>(words_ + capacity_) + i * sizeof(row), &row, sizeof(row));
  }
  /// Calls visit(document, row) for every document.
  template <class Visit>
  void for_each(const Visit& visit) const {
    const std::size_t places = documents_ > small_documents ? capacity_ : documents_;
    for (std::size_t i = 0; i < places; ++i)
      if (row(i) != 0) visit(words_[i], row(i));
  }

  void prefetch() const {
    keep_calls();
    for (std::size_t word = 0; word < words_of(documents_); word += line_words)
      __builtin_prefetch(words_ + word);
  }
  void prefetch(std::uint64_t document) const {
    keep_calls();
    const std::size_t i = PairTable::place_of(PairTable::hash(document), capacity_);
    __builtin_prefetch(words_ + i);
    __builtin_prefetch(words_ + capacity_ + i / 2);
  }

 private:
  static std::size_t words_of(std::size_t documents) { return line_words << level_of(documents); }
  /// Keeps calls of a function that only prefetches: GCC considers it free of effects and would
  /// remove them.
  static void keep_calls() { asm volatile(""); }

  std::uint32_t row(std::size_t i) const {
    std::uint32_t row = 0;
    std::memcpy(&row, reinterpret_cast<const char*>(words_ + capacity_) + i * sizeof(row),
                sizeof(row));
    return row;
  }
  /// Returns the place of a document in a large block, or the free place where it belongs.
  std::size_t probe(std::uint64_t document) const {
    std::size_t i = PairTable::place_of(PairTable::hash(document), capacity_);
    while (row(i) != 0 && words_[i] != document)
      if (++i == capacity_) i = 0;
    return i;
  }

  Word* words_;
  std::size_t documents_, capacity_;
};

}  // namespace

PairTable::PairTable(std::size_t most_bytes) : most_bytes_(most_bytes), queries_(1), words_(1) {
  clear();
}

void PairTable::clear() {
  queries_ = ZeroedArray<Query>(first_queries);
  words_ = ZeroedArray<std::uint64_t>(first_lines * line_words);
  known_queries_ = used_lines_ = 0;
  free_.fill(no_block);
  full_ = false;
}

std::size_t PairTable::find_query(std::uint64_t query) const {
  std::size_t place = place_of(query);
  while (queries_[place].documents != 0 && queries_[place].id != query)
    if (++place == queries_.size()) place = 0;
  return place;
}

void PairTable::prefetch_documents(std::uint64_t query,
                                   std::span<const std::uint64_t> documents) const {
  const Query& at = queries_[find_query(query)];
  if (at.documents == 0) return;
  const Block block(&words_[at.line * line_words], at.documents);
  if (at.documents <= small_documents) return block.prefetch();
  for (const std::uint64_t document : documents) block.prefetch(document);
}

void PairTable::find(std::uint64_t query, std::span<const std::uint64_t> documents,
                     std::span<std::uint32_t> rows) const {
  const Query& at = queries_[find_query(query)];
  const Block block(&words_[at.line * line_words], at.documents);
  for (std::size_t i = 0; i < documents.size(); ++i) rows[i] = block.find(documents[i]);
}

std::uint64_t PairTable::find_or_add(std::uint64_t query, std::span<const std::uint64_t> documents,
                                     std::uint64_t next, std::span<std::uint32_t> rows) {
  const bool room = has_room_for_query();
  Query& at = queries_[find_query(query)];
  full_ = full_ || (at.documents == 0 && !room);
  Block block(&words_[at.line * line_words], at.documents);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    rows[i] = block.find(documents[i]);
    if (rows[i] != 0 || full_) continue;
    full_ = next > last_row || !add(at, query, documents[i], static_cast<std::uint32_t>(next));
    if (full_) continue;
    rows[i] = static_cast<std::uint32_t>(next++);
    block = Block(&words_[at.line * line_words], at.documents);
  }
  return next;
}

bool PairTable::has_room_for_query() {
  const std::size_t before = queries_.size();
  if (known_queries_ < before / 4 * 3) return true;
  // The old and the new table exist at the same time.
  const std::size_t taken = used_lines_ * line_bytes + before * sizeof(Query);
  const std::size_t room = most_bytes_ > taken ? (most_bytes_ - taken) / sizeof(Query) : 0;
  const std::size_t after = std::min(2 * before, room);
  if (after < before + before / 8) return false;  // too little growth to be worth the copy
  const ZeroedArray<Query> old = std::exchange(queries_, ZeroedArray<Query>(after));
  for (std::size_t i = 0; i < before; ++i)
    if (old[i].documents != 0) queries_[find_query(old[i].id)] = old[i];
  return true;
}

bool PairTable::add(Query& at, std::uint64_t query, std::uint64_t document, std::uint32_t row) {
  const std::size_t before = at.documents;
  if ((before == 0 || level_of(before + 1) != level_of(before)) && !move_block(at)) return false;
  Block(&words_[at.line * line_words], before + 1).put(document, row, before);
  known_queries_ += before == 0 ? 1 : 0;
  at.id = query;
  ++at.documents;
  return true;
}

bool PairTable::move_block(Query& at) {
  const std::size_t documents = at.documents;
  const std::size_t level = level_of(documents + 1);
  const std::optional<std::uint32_t> line = allot(level);
  if (!line) return false;
  std::uint64_t* const words = &words_[*line * line_words];
  if (documents >= small_documents) std::fill_n(words, line_words << level, 0);  // all places free
  if (documents > 0) {
    std::uint64_t* const words_before = &words_[at.line * line_words];
    Block to(words, documents + 1);
    std::size_t moved = 0;
    Block(words_before, documents).for_each([&](std::uint64_t document, std::uint32_t row) {
      to.put(document, row, moved++);
    });
    *words_before = std::exchange(free_[level_of(documents)], at.line);
  }
  at.line = *line;
  return true;
}

std::optional<std::uint32_t> PairTable::allot(std::size_t level) {
  std::uint32_t& left = free_[level];
  if (left != no_block) {
    const auto next = static_cast<std::uint32_t>(words_[left * line_words]);
    return std::exchange(left, next);
  }
  const std::size_t table = queries_.size() * sizeof(Query);
  const std::size_t most_lines =
      std::clamp(most_bytes_ > table ? (most_bytes_ - table) / line_bytes : 0, first_lines,
                 std::size_t{no_block});
  const std::size_t first = used_lines_, end = first + (std::size_t{1} << level);
  if (end > most_lines) return std::nullopt;
  if (const std::size_t lines = words_.size() / line_words; end > lines)
    words_.grow(std::min(std::max(2 * lines, end), most_lines) * line_words);
  used_lines_ = end;
  return static_cast<std::uint32_t>(first);
}

}  // namespace ultr
