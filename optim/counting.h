#pragma once

#include "optim/coins.h"
#include "optim/optimizer.h"

namespace ultr {

/// Options of counting (Chapelle & Zhang, 2009, section 4, for sdbn; Guo et al., 2009, for dcm). It
/// assumes that users stopped with their last click, and that they examined all of a list without
/// clicks. Every coin is then observed, and one pass counts its heads. This maximises the
/// likelihood of that simplified story, not of the model's own; `em` does the latter.
struct CountingOptions final : FitOptions {
  PseudoTosses pseudo;

  void fields(Fields& f) override;
};

}  // namespace ultr
