#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace ultr {

/// Messages to or from each process, as bytes, indexed by the number of the process.
using Messages = std::vector<std::vector<std::byte>>;

/// The processes that work on one run together. All of them call the same functions in the same
/// order, each from one thread at a time. A call returns once the other processes' part in it has
/// arrived. Throws Error if they cannot be reached.
class Communicator {
 public:
  virtual ~Communicator() = default;

  /// Number of this process, from 0.
  virtual int process() const = 0;
  /// Number of processes.
  virtual int size() const = 0;
  /// Sends to[r] to process r, for all r including this process. Sets from[r] to the message from
  /// process r.
  void exchange(const Messages& to, Messages& from) {
    begin_exchange(to, from);
    finish_exchange();
  }
  /// Begins an exchange and returns at once, so that messages travel while this process does
  /// something else. `to` must not change, nor `from` be used, until it is finished, and nothing
  /// else may be sent.
  virtual void begin_exchange(const Messages& to, Messages& from) = 0;
  /// Lets an exchange that has begun, if any, go on. Large messages may wait for it.
  virtual void go_on() {}
  virtual void finish_exchange() = 0;
  /// Sends `own` to all processes. Sets all[r] to the message from process r.
  virtual void gather(std::span<const std::byte> own, Messages& all) = 0;

  /// Must be called by a process that fails, before it ends. Waits up to a second for all other
  /// processes to fail too, and returns true if they do. If not, the others wait for this process
  /// in vain, and it must call `end_all`.
  virtual bool all_fail() { return true; }
  /// Ends all processes with this exit code.
  [[noreturn]] virtual void end_all(int code);

  /// Registers the message that this process prints if it waits for others in vain. While it waits,
  /// it polls `stopping`. If that has been true for some tenths of a second and the others have not
  /// answered, it writes `last_words` to standard error as one line and continues to wait. An empty
  /// `stopping` removes the message.
  virtual void set_last_words(const std::function<bool()>& stopping, const std::string& last_words);
};

/// Returns the number of processes of a run; 1 if `processes` is null.
inline int count_processes(const Communicator* processes) {
  return processes == nullptr ? 1 : processes->size();
}
/// True in the process that writes the results common to all: the first, or the only one.
inline bool is_first_process(const Communicator* processes) {
  return processes == nullptr || processes->process() == 0;
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

/// Reads numbers from a message in the order in which they were appended.
class MessageReader {
 public:
  explicit MessageReader(std::span<const std::byte> message) : left_(message) {}

  /// Reads as many numbers as the span holds. Throws Error if fewer are left.
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
  /// Replaces the contents of a vector by the next `count` numbers.
  template <class T>
  void read(std::vector<T>& numbers, std::size_t count) {
    numbers.resize(count);
    read(std::span<T>(numbers));
  }
  /// Returns the next `count` numbers where they lie in the message, which must outlive the result.
  /// All that was read before must have had a size that is a multiple of theirs.
  template <class T>
  std::span<const T> view(std::size_t count) {
    return {reinterpret_cast<const T*>(take(count * sizeof(T)).data()), count};
  }
  std::size_t bytes_left() const { return left_.size(); }

 private:
  std::span<const std::byte> take(std::size_t bytes);

  std::span<const std::byte> left_;
};

/// Returns the numbers of all processes: those of process 0 in their order, then of process 1, ...
template <class T>
std::vector<T> gather_all(Communicator& processes, std::span<const T> own) {
  Messages all;
  processes.gather(std::as_bytes(own), all);
  std::vector<T> numbers;
  for (const auto& message : all) {
    std::vector<T> some(message.size() / sizeof(T));
    MessageReader(message).read(std::span<T>(some));
    numbers.insert(numbers.end(), some.begin(), some.end());
  }
  return numbers;
}

/// Returns the text of process 0 in all processes. The texts of other processes are ignored.
std::string broadcast_from_first(Communicator& processes, const std::string& text);

/// Checks texts that must be the same in all processes. Throws DataError, in all of them, if any
/// process has a text that differs from that of process 0, or more or fewer texts.
void expect_same(Communicator& processes, const std::vector<std::string>& texts);

/// Runs `work` in every process of a run; `processes` is null if there is only one. `work` itself
/// must not communicate. If it fails in some processes, all throw the error of the first of these:
/// ConfigError, DataError, or Error for any other.
void run_in_all_processes(Communicator* processes, const std::function<void()>& work);

}  // namespace ultr
