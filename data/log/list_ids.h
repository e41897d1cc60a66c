#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ultr {

/// The ids of several lists: their queries, and the documents that they show.
class ListIds {
 public:
  ListIds() = default;
  /// Takes memory for so many documents at once.
  explicit ListIds(std::size_t documents) { documents_.reserve(documents); }

  void add(std::uint64_t query, std::span<const std::uint64_t> documents) {
    queries_.push_back(query);
    documents_.insert(documents_.end(), documents.begin(), documents.end());
    ends_.push_back(documents_.size());
  }

  std::size_t lists() const { return queries_.size(); }
  /// Number of documents of all lists.
  std::size_t documents() const { return documents_.size(); }
  /// Calls visit(query, documents) for each list, in order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    const std::span<const std::uint64_t> all(documents_);
    for (std::size_t list = 0, begin = 0; list < lists(); begin = ends_[list++])
      visit(queries_[list], all.subspan(begin, ends_[list] - begin));
  }

 private:
  std::vector<std::uint64_t> queries_, documents_;
  std::vector<std::size_t> ends_;  // of each list's documents
};

}  // namespace ultr
