#include "distributed/divided_numbers.h"

#include <algorithm>
#include <vector>

namespace ultr {

void collect_numbers(Communicator& processes, const DividedTable& divided, std::int64_t pairs,
                     std::span<const double> own,
                     const std::function<void(std::span<const double>)>& use) {
  const auto process_count = static_cast<std::size_t>(processes.size());
  const auto width = static_cast<std::size_t>(divided.rows_per_pair);
  // Each process sends about a megabyte at a time.
  const std::size_t most = std::max<std::size_t>(1, (std::size_t{1} << 17) / width);
  const auto all = static_cast<std::size_t>(pairs);
  Messages from;
  std::vector<double> numbers;
  for (std::size_t first = 0; first * process_count < all; first += most) {
    const std::size_t begin = std::min(first * width, own.size());
    processes.gather(std::as_bytes(own.subspan(begin, std::min(most * width, own.size() - begin))),
                     from);
    numbers.resize((std::min((first + most) * process_count, all) - first * process_count) * width);
    std::vector<MessageReader> readers(from.begin(), from.end());
    for (std::size_t pair = 0; pair * width < numbers.size(); ++pair)
      readers[pair % process_count].read(std::span(numbers).subspan(pair * width, width));
    use(numbers);
  }
}

}  // namespace ultr
