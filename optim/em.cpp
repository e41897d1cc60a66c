#include "optim/em.h"

namespace ultr {

void EmOptions::fields(Fields& f) { pseudo.fields(f); }

}  // namespace ultr
