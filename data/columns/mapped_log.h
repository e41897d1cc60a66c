#pragma once

#include "data/formats/log_format.h"

namespace ultr {

/// Returns the LogMapper of folders of columns (data/columns/columns.h). Folders with pairs.npy can
/// be mapped.
LogMapper columns_mapper();

}  // namespace ultr
