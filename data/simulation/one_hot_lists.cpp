#include "data/simulation/one_hot_lists.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "data/features/feature_lists_builder.h"
#include "data/simulation/simulated_relevance.h"

namespace ultr {
namespace {

/// Steps of RandomPurpose::synthetic_data. Simulated relevance uses 0 and 1, SyntheticLists 2.
constexpr std::uint32_t label_step = 3, order_step = 4;

}  // namespace

void OneHotLists::fields(Fields& f) {
  f.integer("documents", documents_, "Documents per part of the data; every part has the same.",
            between(1, 1e8));
  f.integer("length", length_, "Documents per list.", between(1, 1000));
  f.number("collisions", collisions_, "Share of the documents that reuse another one's id.",
           {.low = 0, .high = 1, .high_open = true});
  f.boolean("validation", validation_, "Also makes validation lists.");
  f.integer("seed", seed_, "Seed of the lists; independent of the experiment's.", at_least(0));
}

ListGenerator::Parts OneHotLists::make() const {
  const auto count = static_cast<std::size_t>(documents_);
  const auto seed = static_cast<std::uint64_t>(seed_);
  const auto ids = static_cast<std::uint64_t>(
      std::max(1., std::round(static_cast<double>(documents_) * (1 - collisions_))));
  std::vector<std::int32_t> labels(count);
  RandomStream drawn(seed, RandomPurpose::synthetic_data, label_step, 0);
  for (std::int32_t& label : labels)
    label = static_cast<std::int32_t>(drawn.below(largest_simulated_label + 1));

  const auto lists_of_part = [&](std::uint64_t part) {
    RandomStream random(seed, RandomPurpose::synthetic_data, order_step, part);
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    random.shuffle(order);
    FeatureColumns columns;
    std::vector<std::int64_t> offsets = {0};
    std::vector<std::uint64_t> documents;
    std::vector<std::int32_t> their_labels;
    for (const std::uint32_t document : order) {
      documents.push_back(document % ids);
      their_labels.push_back(labels[document]);
      if (static_cast<std::int64_t>(documents.size()) - offsets.back() == length_)
        offsets.push_back(static_cast<std::int64_t>(documents.size()));
    }
    if (offsets.back() < documents_) offsets.push_back(documents_);
    columns.offsets = std::move(offsets);
    columns.documents = std::move(documents);
    columns.labels = std::move(their_labels);
    return FeatureLists(std::move(columns));
  };
  return {.train = lists_of_part(0),
          .valid = validation_ ? lists_of_part(1) : FeatureLists(),
          .test = lists_of_part(2)};
}

}  // namespace ultr
