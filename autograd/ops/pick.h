#pragma once

#include "autograd/tape/tensor.h"

namespace ultr {

/// Records the pick of a gathered vector, right after it: the entries that a branch of `where`
/// needs, stored contiguously. It is computed and read only if compaction redirects ops to it
/// (compaction.h). Only for code that defines ops.
void record_pick(Tensor gathered);

}  // namespace ultr
