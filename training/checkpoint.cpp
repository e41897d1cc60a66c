#include "training/checkpoint.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstring>
#include <optional>
#include <type_traits>

#include <fmt/core.h>
#include <zlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"

namespace ultr {
namespace {

constexpr std::string_view magic = "ultr checkpoint 3\n";
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

/// Returns the CRC-32 of data whose first part has the CRC-32 `before` and continues with `bytes`.
std::uint32_t checksum(std::uint32_t before, const void* bytes, std::size_t count) {
  return static_cast<std::uint32_t>(
      crc32_z(before, static_cast<const unsigned char*>(bytes), count));
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
  requires std::is_arithmetic_v<T>
void transfer(File& file, T& number) {
  file.bytes(&number, sizeof number);
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

template <class File, class Text>
  requires std::same_as<std::remove_const_t<Text>, std::string>
void transfer(File& file, Text& text) {
  transfer_length(file, text, 1);
  file.bytes(text.data(), text.size());
}

template <class File, class List>
  requires std::same_as<std::remove_const_t<List>, std::vector<float>>
void transfer(File& file, List& numbers) {
  transfer_length(file, numbers, sizeof(float));
  file.bytes(numbers.data(), numbers.size() * sizeof(float));
}

template <class File, class Owner>
void transfer_owner(File& file, Owner& owner) {
  transfer_length(file, owner.options, 1);
  for (auto& [name, value] : owner.options) {
    transfer(file, name);
    transfer(file, value);
  }
  transfer(file, owner.data);
  transfer(file, owner.processes);
}

template <class File, class Epoch>
void transfer_epoch(File& file, Epoch& epoch) {
  transfer(file, epoch.stage);
  transfer(file, epoch.epoch);
  transfer(file, epoch.learning_rate);
  transfer(file, epoch.train_loss);
  bool validated = epoch.valid.has_value();
  transfer(file, validated);
  if constexpr (File::reads)
    if (validated) epoch.valid.emplace();
  if (validated) {
    transfer_length(file, epoch.valid->values, sizeof(std::uint64_t) + sizeof(double));
    for (auto& [name, value] : epoch.valid->values) {
      transfer(file, name);
      transfer(file, value);
    }
  }
  transfer(file, epoch.best);
  transfer(file, epoch.seconds);
  transfer(file, epoch.sessions_per_second);
}

template <class File, class Result>
void transfer_result(File& file, Result& result) {
  transfer_length(file, result.epochs, 1);
  for (auto& epoch : result.epochs) transfer_epoch(file, epoch);
  transfer(file, result.best_epoch);
  transfer(file, result.seconds);
}

template <class File, class State>
void transfer_state(File& file, State& state) {
  transfer_length(file, state.earlier, 1);  // one per finished stage
  for (auto& stage : state.earlier) transfer_result(file, stage);
  transfer(file, state.fit.steps);
  transfer(file, state.fit.sessions);
  transfer(file, state.fit.loss);
  transfer(file, state.fit.units);
  transfer(file, state.fit.learning_rate);
  transfer_result(file, state.done);
  transfer(file, state.epoch_seconds);
  transfer(file, state.best_loss);
  transfer_length(file, state.best, sizeof(std::uint64_t));
  for (auto& values : state.best) transfer(file, values);
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
  transfer(file, parameter.name());
  for (const std::int64_t number :
       {parameter.rows(), parameter.columns(), std::int64_t{parameter.states()}})
    transfer(file, number);
  for_each_chunk(parameter, [&](std::int64_t row, std::span<float> numbers) {
    parameter.copy_kept(row, numbers);
    file.bytes(numbers.data(), numbers.size_bytes());
  });
}

void read_parameter(CheckpointInput& file, Parameter& parameter) {
  std::string name;
  std::int64_t rows = 0, columns = 0, states = 0;
  transfer(file, name);
  transfer(file, rows);
  transfer(file, columns);
  transfer(file, states);
  if (name != parameter.name() || rows != parameter.rows() || columns != parameter.columns())
    throw DataError(fmt::format("{}: has {} with {} rows of {}; expected {} with {} rows of {}",
                                file.file().string(), quote(name, 60), rows, columns,
                                quote(parameter.name()), parameter.rows(), parameter.columns()));
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
  output.bytes(magic.data(), magic.size());
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
  std::array<char, magic.size()> start;
  input.bytes(start.data(), start.size());
  if (std::string_view(start.data(), start.size()) != magic)
    throw DataError(fmt::format("{}: starts with {}; expected {}", file_.string(),
                                quote({start.data(), start.size()}), quote(magic)));
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

  stream_.seekg(static_cast<std::streamoff>(magic.size()));
  left_ = size - magic.size() - sizeof saved;
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
