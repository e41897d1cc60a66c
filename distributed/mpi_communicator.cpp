#include "distributed/mpi_communicator.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include <fmt/core.h>
#include <mpi.h>

#include "base/error.h"
#include "distributed/mpi_launcher.h"

namespace ultr {
namespace {

using Clock = std::chrono::steady_clock;

/// Largest size of an MPI message in bytes. MPI counts them as int, so longer ones are split.
constexpr std::size_t most_bytes = std::size_t{1} << 30;
/// Time to wait for others after a request to stop. It is short because mpirun kills processes a
/// second after it has asked them to end.
constexpr auto patience = std::chrono::milliseconds(400);
/// Time that others have to fail as this process did.
constexpr auto patience_with_failures = std::chrono::seconds(1);

void check(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(fmt::format("another process of the run cannot be reached (MPI: {})",
                          std::string_view(text, static_cast<std::size_t>(length))));
}

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator() {
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check(MPI_Comm_dup(MPI_COMM_WORLD, &failures_));
    check(MPI_Comm_rank(MPI_COMM_WORLD, &process_));
    check(MPI_Comm_size(MPI_COMM_WORLD, &size_));
  }
  ~MpiCommunicator() override { MPI_Finalize(); }

  int process() const override { return process_; }
  int size() const override { return size_; }

  void begin_exchange(const Messages& to, Messages& from) override {
    for (std::size_t r = 0; r < count(); ++r) send(r, to[r]);
    from.resize(count());
    from[own()] = to[own()];
    begin_to_receive(from);
  }
  void go_on() override {
    if (from_ != nullptr) has_finished();
  }
  void finish_exchange() override {
    std::optional<Clock::time_point> stopping_since;
    while (!has_finished()) {
      if (!said_ && stopping_ && stopping_()) {
        const auto now = Clock::now();
        if (!stopping_since) stopping_since = now;
        if (now - *stopping_since > patience) say_last_words();
      }
      std::this_thread::yield();
    }
    requests_.clear();
    from_ = nullptr;
  }

  void gather(std::span<const std::byte> own_bytes, Messages& all) override {
    for (std::size_t r = 0; r < count(); ++r) send(r, own_bytes);
    all.resize(count());
    all[own()].assign(own_bytes.begin(), own_bytes.end());
    begin_to_receive(all);
    finish_exchange();
  }

  bool all_fail() override {
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Ibarrier(failures_, &request) != MPI_SUCCESS) return false;
    int done = 0;
    for (const auto start = Clock::now(); Clock::now() - start < patience_with_failures;) {
      if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
      if (done != 0) return true;
      std::this_thread::yield();
    }
    return false;
  }

  [[noreturn]] void end_all(int code) override {
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
  }

  void set_last_words(const std::function<bool()>& stopping,
                      const std::string& last_words) override {
    stopping_ = stopping;
    last_words_ = last_words;
  }

 private:
  std::size_t count() const { return static_cast<std::size_t>(size_); }
  std::size_t own() const { return static_cast<std::size_t>(process_); }

  /// A message that is on its way from another process.
  struct Incoming {
    MPI_Request part = MPI_REQUEST_NULL;  // that is being received
    bool last = false;                    // that part, or the one before, is the last
  };

  /// Begins to send a message, in parts of most_bytes. The last part, which may be empty, is
  /// shorter, so that no size is sent ahead, for which everybody would wait.
  void send(std::size_t to, std::span<const std::byte> message) {
    if (to == own()) return;
    for (std::size_t at = 0; at <= message.size(); at += most_bytes) {
      requests_.emplace_back();
      check(MPI_Isend(message.data() + at,
                      static_cast<int>(std::min(most_bytes, message.size() - at)), MPI_BYTE,
                      static_cast<int>(to), 0, MPI_COMM_WORLD, &requests_.back()));
    }
  }

  /// Begins to receive a message from each other process.
  void begin_to_receive(Messages& from) {
    from_ = &from;
    incoming_.assign(count(), {});
    incoming_[own()].last = true;
    for (std::size_t r = 0; r < count(); ++r)
      if (r != own()) from[r].clear();
    go_on();
  }

  /// Goes on with what has arrived. Returns true if all messages are received and sent.
  bool has_finished() {
    int sent = 0;
    check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &sent,
                      MPI_STATUSES_IGNORE));
    bool all = sent != 0;
    for (std::size_t r = 0; r < count(); ++r)
      all = has_received(incoming_[r], r, (*from_)[r]) && all;
    return all;
  }
  bool has_received(Incoming& incoming, std::size_t from, std::vector<std::byte>& message) {
    for (int arrived = 1;;) {
      check(MPI_Test(&incoming.part, &arrived, MPI_STATUS_IGNORE));
      if (arrived == 0) return false;
      if (incoming.last) return true;
      MPI_Message part = MPI_MESSAGE_NULL;
      MPI_Status status;
      check(MPI_Improbe(static_cast<int>(from), 0, MPI_COMM_WORLD, &arrived, &part, &status));
      if (arrived == 0) return false;
      int bytes = 0;
      check(MPI_Get_count(&status, MPI_BYTE, &bytes));
      const std::size_t at = message.size();
      message.resize(at + static_cast<std::size_t>(bytes));
      incoming.last = static_cast<std::size_t>(bytes) < most_bytes;
      check(MPI_Imrecv(message.data() + at, bytes, MPI_BYTE, &part, &incoming.part));
    }
  }

  /// Prints the registered message. The first two processes do so, because the first may be the one
  /// that has died.
  void say_last_words() {
    said_ = true;
    if (process_ <= 1) fmt::print(stderr, "{}\n", last_words_);
  }

  int process_ = 0, size_ = 1;
  MPI_Comm failures_ = MPI_COMM_NULL;  // where failing processes meet
  std::vector<MPI_Request> requests_;  // of parts that are being sent
  std::vector<Incoming> incoming_;
  Messages* from_ = nullptr;  // where messages are received, if any are
  std::function<bool()> stopping_;
  std::string last_words_;
  bool said_ = false;
};

}  // namespace

std::unique_ptr<Communicator> mpi_communicator() {
  const auto launched = launched_processes();
  if (launched && *launched <= 1) return nullptr;
  auto communicator = std::make_unique<MpiCommunicator>();
  if (communicator->size() > 1) return communicator;
  if (!launched) return nullptr;
  communicator.reset();
  if (is_first_launched())
    fmt::print(stderr,
               "error: started as one of {} processes, but MPI knows only one; expected the mpirun "
               "of the MPI that this program was built with\n",
               *launched);
  std::exit(2);
}

}  // namespace ultr
