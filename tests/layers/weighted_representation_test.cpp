#include "layers/weighted_representation.h"

#include <gtest/gtest.h>

#include "autograd/reductions.h"
#include "layers/layers.h"
#include "layers/listed_inputs.h"

namespace ultr::weighted_representation_test {
namespace {

/// Tests every type of layer, over documents and over entries. The weighted sum has one value where
/// the layer's own logit has one, and no gradient reaches the layer.
TEST(WeightedRepresentationTest, WeighsTheRepresentationOfAnyLayer) {
  for (const OptionType& type : layer_types())
    for (const Domain domain : {Domain::document, Domain::rank, Domain::global}) {
      if (type.name == "table" && domain == Domain::document) continue;
      SCOPED_TRACE(type.name + " of a " + to_string(domain));
      Tape tape(Precision::float64);
      const testing::ListedInputs inputs(tape, {1, 2, 5});
      const auto options = type.make();
      const std::shared_ptr<LogitLayer> layer = dynamic_cast<const LayerOptions&>(*options).build(
          {.name = "layer",
           .domain = domain,
           .entries = domain == Domain::global ? 1 : testing::entries_of_small_domains,
           .features = testing::listed_columns(domain),
           .seed = 3});
      WeightedRepresentation head(layer, {.name = "head", .domain = domain, .seed = 4});
      const Logits own = layer->logits(inputs), weighted = head.logits(inputs);
      EXPECT_EQ(weighted.per_document.has_value(), own.per_document.has_value());
      EXPECT_EQ(weighted.values.shape(), own.values.shape());

      const Tensor loss = sum(weighted.values);
      tape.require(std::array{loss});
      tape.replay();
      tape.backward(loss);
      for (const DenseGradient& gradient : tape.dense_gradients())
        EXPECT_EQ(gradient.parameter, &head.parameters().front()->view());
      EXPECT_TRUE(tape.sparse_gradients().empty());
      head.parameters().front()->fill(0);
      tape.replay();
      for (const double value : weighted.values.values()) EXPECT_EQ(value, 0);
    }
}

}  // namespace
}  // namespace ultr::weighted_representation_test
