#pragma once

#include "autograd/tensor.h"

namespace ultr {

/// Records the pick of a gathered vector, right after it: its entries that a branch of `where`
/// needs, one after the other. Ops do not read it unless compaction tells them to (compaction.h),
/// and it is not computed then. Only for code that defines ops.
void record_pick(Tensor gathered);

}  // namespace ultr
