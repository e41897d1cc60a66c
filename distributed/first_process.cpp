#include "distributed/first_process.h"

namespace ultr {

int run_in_first_process(Communicator* processes, const std::function<int()>& work) {
  int code = 0;
  run_in_all_processes(processes, [&] {
    if (is_first_process(processes)) code = work();
  });
  return processes == nullptr ? code
                              : gather_all(*processes, std::span<const int>(&code, 1)).front();
}

}  // namespace ultr
