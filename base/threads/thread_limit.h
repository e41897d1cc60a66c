#pragma once

#include <tbb/global_control.h>

namespace ultr {

/// Limits TBB to a number of threads while it lives.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads)
      : control_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)) {}

 private:
  tbb::global_control control_;
};

}  // namespace ultr
