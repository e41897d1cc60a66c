#include "optim/counting.h"

namespace ultr {

void CountingOptions::fields(Fields& f) { pseudo.fields(f); }

}  // namespace ultr
