#pragma once

#include "data/formats/log_format.h"

namespace ultr {

/// The LogMapper of folders of columns (data/columns/columns.h), of which those with pairs.npy lie
/// ready.
LogMapper columns_mapper();

}  // namespace ultr
