#include "distributed/collected_rows.h"

#include <algorithm>
#include <vector>

namespace ultr {

void collect_rows(Communicator& processes, const DividedTable& divided, std::int64_t pairs,
                  const std::function<void(std::span<const float>)>& use) {
  const auto process_count = static_cast<std::size_t>(processes.size());
  const EmbeddingTable& table = *divided.table;
  const std::size_t width = divided.width();
  // Each process sends about a megabyte at a time.
  const std::size_t most = std::max<std::size_t>(1, (std::size_t{1} << 18) / width);
  const auto all = static_cast<std::size_t>(pairs);
  Messages to(process_count), from;
  std::vector<float> values;
  for (std::size_t first = 0; first * process_count < all; first += most) {
    const std::size_t own_pairs = static_cast<std::size_t>(table.rows() / divided.rows_per_pair);
    const std::size_t count = std::min(most, own_pairs - first);
    to[0].clear();
    for (std::size_t row = first * static_cast<std::size_t>(divided.rows_per_pair);
         row < (first + count) * static_cast<std::size_t>(divided.rows_per_pair); ++row)
      append(to[0], table.row(static_cast<std::int64_t>(row)));
    processes.exchange(to, from);
    if (processes.process() != 0) continue;
    const std::size_t known = std::min(count * process_count, all - first * process_count);
    values.resize(known * width);
    std::vector<MessageReader> readers(from.begin(), from.end());
    for (std::size_t pair = 0; pair < known; ++pair)
      readers[pair % process_count].read(std::span(values).subspan(pair * width, width));
    use(values);
  }
}

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
