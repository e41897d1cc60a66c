#pragma once

#include <string_view>

namespace ultr {

/// The sections of a configuration in whose place an analysis stands.
inline constexpr std::string_view replaced_by_analysis[] = {"data",      "loss",  "model",
                                                            "optimizer", "train", "evaluate"};

}  // namespace ultr
