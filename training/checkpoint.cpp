#include "training/checkpoint.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include <fmt/core.h>
#include <isa-l/crc.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/text/quote.h"

namespace ultr {
namespace {

constexpr std::string_view checkpoint_magic = "ultr checkpoint 4\n";
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

/// Returns the CRC-32 of data whose first part has the CRC-32 `before` and continues with `bytes`.
std::uint32_t checksum(std::uint32_t before, const void* bytes, std::size_t count) {
  return crc32_gzip_refl(before, static_cast<const unsigned char*>(bytes), count);
}

/// Writes bytes, then their checksum.
class CheckpointOutput {
 public:
  static constexpr bool reads = false;

  explicit CheckpointOutput(const std::filesystem::path& file) : file_(file) {}

  void bytes(const void* from, std::size_t count) {
    checksum_ = checksum(checksum_, from, count);
    file_.write({static_cast<const char*>(from), count});
  }
  void finish() {
    const std::uint32_t sum = checksum_;
    file_.write({reinterpret_cast<const char*>(&sum), sizeof sum});
    file_.finish_on_disk();
  }

 private:
  NewFile file_;
  std::uint32_t checksum_ = 0;
};

/// Reads what CheckpointOutput writes. `left` counts the bytes not read yet.
class CheckpointInput {
 public:
  static constexpr bool reads = true;

  CheckpointInput(const std::filesystem::path& file, std::ifstream& stream, std::uint64_t& left)
      : file_(file), stream_(stream), left_(left) {}

  void bytes(void* to, std::size_t count) {
    expect(count, 1);
    if (!stream_.read(static_cast<char*>(to), static_cast<std::streamsize>(count)))
      throw DataError(fmt::format("{}: cannot be read", file_.string()));
    left_ -= count;
  }
  /// Throws DataError unless `count` items of `size` bytes are left. Checked before memory is
  /// allocated, so that a damaged length cannot exhaust it.
  void expect(std::uint64_t count, std::uint64_t size) const {
    if (count > left_ / size)
      throw DataError(fmt::format("{}: is damaged (it ends too early)", file_.string()));
  }
  const std::filesystem::path& file() const { return file_; }

 private:
  const std::filesystem::path& file_;
  std::ifstream& stream_;
  std::uint64_t& left_;
};

// The transfer functions list the parts of a checkpoint once, for writing (from constants) and for
// reading.

template <class File, class T>
  requires(std::is_arithmetic_v<T> && !std::same_as<std::remove_const_t<T>, bool>)
void transfer(File& file, T& number) {
  file.bytes(&number, sizeof number);
}

template <class File, class Flag>
  requires std::same_as<std::remove_const_t<Flag>, bool>
void transfer(File& file, Flag& flag) {
  auto byte = static_cast<std::uint8_t>(flag);
  transfer(file, byte);
  if constexpr (File::reads) {
    if (byte > 1)
      throw DataError(fmt::format("{}: is damaged (a flag is {}; expected 0 or 1)",
                                  file.file().string(), byte));
    flag = byte == 1;
  }
}

/// Transfers the length of a list or string whose items take at least `size` bytes each. When
/// reading, resizes it.
template <class File, class List>
void transfer_length(File& file, List& list, std::size_t size) {
  auto length = static_cast<std::uint64_t>(list.size());
  transfer(file, length);
  if constexpr (File::reads) {
    file.expect(length, size);
    list.resize(length);
  }
}

/// Transfers a string or a list of numbers.
template <class File, class List>
  requires std::is_arithmetic_v<typename List::value_type>
void transfer(File& file, List& list) {
  transfer_length(file, list, sizeof(typename List::value_type));
  file.bytes(list.data(), list.size() * sizeof(typename List::value_type));
}

/// Transfers several parts, one after the other.
template <class File, class... Parts>
  requires(sizeof...(Parts) > 1)
void transfer(File& file, Parts&... parts) {
  (transfer(file, parts), ...);
}

/// Transfers a list, item by item. Each item has a length or a number, so at least 8 bytes.
template <class File, class List, class TransferItem>
void transfer_each(File& file, List& list, TransferItem transfer_item) {
  transfer_length(file, list, sizeof(std::uint64_t));
  for (auto& item : list) transfer_item(item);
}

/// Transfers a list of names with values.
template <class File, class List>
void transfer_named(File& file, List& list) {
  transfer_each(file, list, [&](auto& item) {
    auto& [name, value] = item;
    transfer(file, name, value);
  });
}

template <class File, class Owner>
void transfer_owner(File& file, Owner& owner) {
  transfer_named(file, owner.options);
  transfer(file, owner.data, owner.processes);
}

template <class File, class Result>
void transfer_result(File& file, Result& result) {
  transfer_each(file, result.epochs, [&](auto& epoch) {
    transfer(file, epoch.stage, epoch.epoch, epoch.learning_rate, epoch.train_loss);
    bool validated = epoch.valid.has_value();
    transfer(file, validated);
    if constexpr (File::reads)
      if (validated) epoch.valid.emplace();
    if (validated) transfer_named(file, epoch.valid->values);
    transfer(file, epoch.best, epoch.seconds, epoch.sessions_per_second);
  });
  transfer(file, result.best_epoch, result.seconds);
}

template <class File, class State>
void transfer_state(File& file, State& state) {
  transfer_each(file, state.earlier, [&](auto& stage) { transfer_result(file, stage); });
  auto& fit = state.fit;
  transfer(file, fit.steps, fit.sessions, fit.loss, fit.units, fit.learning_rate, fit.change);
  transfer_result(file, state.done);
  transfer(file, state.epoch_seconds, state.best_loss);
  transfer_each(file, state.best, [&](auto& values) { transfer(file, values); });
}

/// Calls use(first_row, numbers) for consecutive chunks of rows, each of about `chunk_bytes` at
/// most, or one row. `numbers` is room for the kept values of these rows.
template <class Use>
void for_each_chunk(const Parameter& parameter, Use use) {
  const std::int64_t width = parameter.kept_per_row();
  const std::int64_t most =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(chunk_bytes / sizeof(float)) / width);
  std::vector<float> chunk(static_cast<std::size_t>(std::min(most, parameter.rows()) * width));
  for (std::int64_t row = 0; row < parameter.rows(); row += most) {
    const std::int64_t rows = std::min(most, parameter.rows() - row);
    use(row, std::span(chunk).first(static_cast<std::size_t>(rows * width)));
  }
}

void write_parameter(CheckpointOutput& file, const Parameter& parameter) {
  const std::int64_t rows = parameter.rows(), columns = parameter.columns(),
                     states = parameter.states();
  transfer(file, parameter.name(), rows, columns, states);
  for_each_chunk(parameter, [&](std::int64_t row, std::span<float> numbers) {
    parameter.copy_kept(row, numbers);
    file.bytes(numbers.data(), numbers.size_bytes());
  });
}

void read_parameter(CheckpointInput& file, Parameter& parameter) {
  std::string name;
  std::int64_t rows = 0, columns = 0, states = 0;
  transfer(file, name, rows, columns, states);
  if (name != parameter.name() || rows != parameter.rows() || columns != parameter.columns())
    throw DataError(fmt::format("{}: has {} with {} rows of {}; expected {} with {} rows of {}",
                                file.file().string(), quote(name, 60), rows, columns,
                                quote(parameter.name()), parameter.rows(), parameter.columns()));
  // Checked before room is made. A negative number is a huge one.
  file.expect(
      static_cast<std::uint64_t>(states),
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rows * columns) * sizeof(float)));
  if (states != parameter.states()) parameter.attach_states(static_cast<int>(states));
  for_each_chunk(parameter, [&](std::int64_t row, std::span<float> numbers) {
    file.bytes(numbers.data(), numbers.size_bytes());
    parameter.assign_kept(row, numbers);
  });
}

}  // namespace

void write_checkpoint(const std::filesystem::path& file, const RunFingerprint& owner,
                      const TrainingState& state, const std::vector<Parameter*>& parameters) {
  CheckpointOutput output(file);
  output.bytes(checkpoint_magic.data(), checkpoint_magic.size());
  transfer_owner(output, owner);
  transfer_state(output, state);
  const std::uint64_t count = parameters.size();
  transfer(output, count);
  for (const Parameter* parameter : parameters) write_parameter(output, *parameter);
  output.finish();
}

Checkpoint::Checkpoint(std::filesystem::path file) : file_(std::move(file)) {
  stream_.open(file_, std::ios::binary | std::ios::ate);
  if (!stream_) throw DataError(fmt::format("{}: cannot be read", file_.string()));
  const auto size = static_cast<std::uint64_t>(stream_.tellg());
  std::uint32_t saved = 0, sum = 0;
  stream_.seekg(0);
  left_ = size;
  CheckpointInput input(file_, stream_, left_);
  std::array<char, checkpoint_magic.size()> start;
  input.bytes(start.data(), start.size());
  if (std::string_view(start.data(), start.size()) != checkpoint_magic)
    throw DataError(fmt::format("{}: starts with {}; expected {}", file_.string(),
                                quote({start.data(), start.size()}), quote(checkpoint_magic)));
  sum = checksum(sum, start.data(), start.size());
  input.expect(1, sizeof saved);
  for (std::vector<char> chunk(chunk_bytes); left_ > sizeof saved;) {
    const std::size_t count = std::min<std::uint64_t>(chunk.size(), left_ - sizeof saved);
    input.bytes(chunk.data(), count);
    sum = checksum(sum, chunk.data(), count);
  }
  transfer(input, saved);
  if (sum != saved)
    throw DataError(fmt::format("{}: is damaged (its checksum is {:08x}; the file says {:08x})",
                                file_.string(), sum, saved));

  stream_.seekg(static_cast<std::streamoff>(checkpoint_magic.size()));
  left_ = size - checkpoint_magic.size() - sizeof saved;
  transfer_owner(input, owner_);
  transfer_state(input, state_);
}

void Checkpoint::restore(const std::vector<Parameter*>& parameters) {
  CheckpointInput input(file_, stream_, left_);
  std::uint64_t count = 0;
  transfer(input, count);
  if (count != parameters.size())
    throw DataError(fmt::format("{}: has {} parameters; expected {}, as in the model",
                                file_.string(), count, parameters.size()));
  for (Parameter* parameter : parameters) read_parameter(input, *parameter);
}

}  // namespace ultr
