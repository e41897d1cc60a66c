#pragma once

#include <cstdint>

#include "data/simulation/list_generator.h"

namespace ultr {

/// Generates lists of unrelated documents with labels drawn uniformly from 0 to 4 (Hager et al.,
/// ECIR 2023; sections 2.6.3 and 2.6.4 of the thesis). The thesis uses 10,000 documents with
/// one-hot feature vectors, some of which collide: they share a vector.
///
/// Documents here have ids instead of features, and no query, so that an id is the same document in
/// every list. An embedding then replaces the linear layer over one-hot vectors: one offset per id
/// and a baseline have the role of one weight per vector and a bias, without a matrix of
/// 10,000 x 10,000 numbers. Document d = 0, 1, ... has id d mod m, where m is
/// documents (1 - collisions), rounded. Documents from m on therefore share the id, and with it the
/// relevance parameter, of a document whose label may differ.
///
/// Training, validation and test parts have the same documents. Each part shuffles them into lists
/// of `length`; the last list may be shorter. Validation lists are optional because they show
/// colliding documents at other ranks: their loss is lowest before training has ended.
class OneHotLists final : public ListGenerator {
 public:
  void fields(Fields& f) override;
  bool has_features() const override { return false; }
  Parts make() const override;

 private:
  std::int64_t documents_ = 10000, length_ = 10, seed_ = 1;
  double collisions_ = 0;
  bool validation_ = true;
};

}  // namespace ultr
