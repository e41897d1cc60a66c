#pragma once

#include "optim/coins.h"
#include "optim/optimizer.h"

namespace ultr {

/// Options of counting: users are taken to have stopped with their last click, and to have examined
/// all of a list without clicks, so that every coin was seen and one pass counts its heads
/// (Chapelle & Zhang, 2009, section 4, for sdbn; Guo et al., 2009, for dcm). This maximises the
/// likelihood of that simplified story, not of the model's own; `em` does the latter.
struct CountingOptions final : FitOptions {
  PseudoTosses pseudo;

  void fields(Fields& f) override;
};

}  // namespace ultr
