#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace ultr {

/// Bytes to or from each process, by rank.
using Messages = std::vector<std::vector<std::byte>>;

/// The processes that work on one run together. All call the same functions in the same order, each
/// from one thread at a time; a call returns when the others' part in it is here. Throws Error if
/// they cannot be reached.
class Communicator {
 public:
  virtual ~Communicator() = default;

  /// The number of this process, from 0.
  virtual int rank() const = 0;
  /// Processes.
  virtual int size() const = 0;
  /// Sends to[r] to process r, for all r, itself included; from[r] is then what r sent here.
  virtual void exchange(const Messages& to, Messages& from) = 0;
  /// Gives `own` to all; all[r] is then what process r gave.
  virtual void gather(std::span<const std::byte> own, Messages& all) = 0;

  /// To be called by a process that fails, before it ends: whether all others fail too, for which
  /// it waits a second. If not, they wait for it in vain, and `end_all` is to end them.
  virtual bool all_fail() { return true; }
  /// Ends all processes with an exit code.
  [[noreturn]] virtual void end_all(int code);

  /// What to do for a process that waits for others in vain: once `stopping` returns true, which
  /// is asked while it waits, and the others have not come for some tenths of a second, it writes
  /// `last_words` to standard error, as one line, and waits on.
  virtual void prepare_loss(const std::function<bool()>& stopping, const std::string& last_words);
};

/// Processes of a run, of which null is the only one.
inline int count_processes(const Communicator* ranks) {
  return ranks == nullptr ? 1 : ranks->size();
}
/// Whether this process is the one that writes what all have in common.
inline bool is_first_process(const Communicator* ranks) {
  return ranks == nullptr || ranks->rank() == 0;
}

/// Appends numbers to a message.
template <class T>
void append(std::vector<std::byte>& message, std::span<const T> numbers) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto bytes = std::as_bytes(numbers);
  message.insert(message.end(), bytes.begin(), bytes.end());
}
template <class T>
void append(std::vector<std::byte>& message, const T& number) {
  append(message, std::span<const T>(&number, 1));
}

/// Takes numbers off a message, in the order in which they were appended.
class MessageReader {
 public:
  explicit MessageReader(std::span<const std::byte> message) : left_(message) {}

  /// Throws Error if there are fewer.
  template <class T>
  void read(std::span<T> numbers) {
    const std::span<const std::byte> bytes = take(numbers.size_bytes());
    if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  }
  template <class T>
  T read() {
    T number;
    read(std::span<T>(&number, 1));
    return number;
  }
  /// So many numbers, in place of what a vector had.
  template <class T>
  void read(std::vector<T>& numbers, std::size_t count) {
    numbers.resize(count);
    read(std::span<T>(numbers));
  }
  std::size_t bytes_left() const { return left_.size(); }

 private:
  std::span<const std::byte> take(std::size_t bytes);

  std::span<const std::byte> left_;
};

/// What all processes give, by rank and then in order.
template <class T>
std::vector<T> gather_all(Communicator& ranks, std::span<const T> own) {
  Messages all;
  ranks.gather(std::as_bytes(own), all);
  std::vector<T> numbers;
  for (const auto& message : all) {
    std::vector<T> some(message.size() / sizeof(T));
    MessageReader(message).read(std::span<T>(some));
    numbers.insert(numbers.end(), some.begin(), some.end());
  }
  return numbers;
}

/// A text that process 0 gives to all; what others give is not looked at.
std::string from_first(Communicator& ranks, const std::string& text);

/// Throws DataError, in all processes, if in one of them a text differs from that of process 0, or
/// there are more or fewer: texts that say what they must have in common.
void expect_same(Communicator& ranks, const std::vector<std::string>& texts);

/// Does the same work in every process of a run, if there are several; `work` itself does not
/// communicate. If it fails in some of them, all throw what the first of these threw: ConfigError,
/// DataError, or Error for all else.
void together(Communicator* ranks, const std::function<void()>& work);

}  // namespace ultr
