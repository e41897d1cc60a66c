#pragma once

#include <cstdint>

#include "data/simulation/list_generator.h"

namespace ultr {

/// Documents that have nothing in common, with labels drawn uniformly from 0 to 4 (Hager et al.,
/// ECIR 2023, sections 2.6.3 and 2.6.4 of the thesis): 10,000 of them there, each with a one-hot
/// vector for features, and some that collide, whose vectors are the same.
///
/// They have no features here but ids, and no query, so that an id is the same document in every
/// list: a linear layer over one-hot vectors has one weight a vector and a bias, and so has an
/// embedding, one offset an id and a baseline, which needs no matrix of 10,000 x 10,000 numbers.
/// Document d = 0, 1, ... has the id d mod m, m = documents (1 - collisions), rounded: from m on,
/// they share the ids, and with them the relevance parameters, of others, whose labels differ.
///
/// Training, validation and test lists have the same documents, each in one list of a part, in
/// random lists of `length`, of which the last may be shorter. There may be no validation lists:
/// documents that collide are shown at other ranks there, so that its loss is least before training
/// has ended.
class OneHotLists final : public ListGenerator {
 public:
  void fields(Fields& f) override;
  Parts make() const override;

 private:
  std::int64_t documents_ = 10000, length_ = 10, seed_ = 1;
  double collisions_ = 0;
  bool validation_ = true;
};

}  // namespace ultr
