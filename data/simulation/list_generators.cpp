#include "data/simulation/one_hot_lists.h"
#include "data/simulation/synthetic_lists.h"
#include "data/simulation/topic_lists.h"

namespace ultr {

const std::vector<OptionType>& list_generators() {
  static const std::vector<OptionType> generators = {
      option_type<SyntheticLists>(
          "synthetic", "Made-up pages with lexical features, judged from 0 to 4; reads no files."),
      option_type<OneHotLists>("one_hot",
                               "Made-up documents that have nothing in common; reads no files."),
      option_type<TopicLists>("topics",
                              "Made-up documents with the words of topics; reads no files."),
  };
  return generators;
}

}  // namespace ultr
