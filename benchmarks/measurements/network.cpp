#include "measurements/network.h"

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <deque>
#include <mutex>
#include <numeric>
#include <thread>

#include <fmt/format.h>

#include "bare_step.h"
#include "distributed/communicator.h"
#include "optim/adam.h"
#include "synthetic_sessions.h"
#include "timing.h"

namespace ultr::bench {
namespace {

using NetworkClock = std::chrono::steady_clock;

constexpr std::size_t process_count = 2;
constexpr int network_turns = 9;
constexpr auto latency = std::chrono::microseconds(50);
constexpr std::array gigabits_per_second = {10.0, 1.0};

/// The network between the processes. Messages of a process leave it one after the other.
class Network {
 public:
  explicit Network(double gigabits) : seconds_per_byte_(8e-9 / gigabits) {}

  void send(std::size_t from, std::size_t to, std::span<const std::byte> contents) {
    const std::lock_guard lock(mutex_);
    const std::chrono::duration<double> duration(static_cast<double>(contents.size()) *
                                                 seconds_per_byte_);
    free_[from] = std::max(free_[from], NetworkClock::now()) +
                  std::chrono::duration_cast<NetworkClock::duration>(duration);
    underway_[from][to].push_back({{contents.begin(), contents.end()}, free_[from] + latency});
  }
  std::vector<std::byte> receive(std::size_t from, std::size_t to) {
    while (true) {
      if (const std::lock_guard lock(mutex_); !underway_[from][to].empty()) {
        Message& first = underway_[from][to].front();
        if (first.arrival <= NetworkClock::now()) {
          std::vector<std::byte> contents = std::move(first.contents);
          underway_[from][to].pop_front();
          return contents;
        }
      }
      std::this_thread::yield();
    }
  }

 private:
  struct Message {
    std::vector<std::byte> contents;
    NetworkClock::time_point arrival;
  };

  double seconds_per_byte_;
  std::mutex mutex_;
  std::array<NetworkClock::time_point, process_count> free_;  // when a process can send the next
  std::array<std::array<std::deque<Message>, process_count>, process_count> underway_;
};

/// A process at the network.
class NetworkProcess final : public Communicator {
 public:
  NetworkProcess(Network& network, std::size_t process) : network_(network), process_(process) {}

  /// If false, the process waits for each message as soon as it has begun to exchange.
  void set_overlaps(bool overlaps) { overlaps_ = overlaps; }

  int process() const override { return static_cast<int>(process_); }
  int size() const override { return process_count; }
  void begin_exchange(const Messages& to, Messages& from) override {
    from.resize(process_count);
    from[process_] = to[process_];
    for (std::size_t r = 0; r < process_count; ++r)
      if (r != process_) network_.send(process_, r, to[r]);
    from_ = &from;
    if (!overlaps_) receive();
  }
  void finish_exchange() override {
    if (overlaps_) receive();
  }
  void gather(std::span<const std::byte> own, Messages& all) override {
    exchange(Messages(process_count, {own.begin(), own.end()}), all);
  }

 private:
  void receive() {
    for (std::size_t r = 0; r < process_count; ++r)
      if (r != process_) (*from_)[r] = network_.receive(r, process_);
  }

  Network& network_;
  std::size_t process_;
  bool overlaps_ = true;
  Messages* from_ = nullptr;
};

/// The training of a model by one of the processes, each on its half of the log.
class ProcessTraining {
 public:
  ProcessTraining(const std::string& type, std::int64_t rows, std::int64_t batch,
                  Communicator& process)
      : log_(synthetic_log(rows)),
        batch_size_(static_cast<std::size_t>(batch)),
        model_(plain_model(type, rows, &process)),
        optimizer_(AdamOptions().build()),
        step_(model_, *optimizer_, {}),
        places_(log_.sessions() / process_count) {
    optimizer_->attach(model_.parameters());
    std::iota(
        places_.begin(), places_.end(),
        static_cast<std::uint32_t>(places_.size()) * static_cast<std::uint32_t>(process.process()));
    pack();
  }

  void step() {
    std::swap(batch_, next_batch_);
    step_.begin(batch_);
    pack();
    step_(batch_, learning_rate, next_batch_);
  }

 private:
  void pack() {
    if (next_ + batch_size_ > places_.size()) next_ = 0;
    step_.pack(SessionSelection{log_.spans(), std::span(places_).subspan(next_, batch_size_)},
               next_batch_);
    next_ += batch_size_;
  }

  const SessionLog& log_;
  std::size_t batch_size_, next_ = 0;
  TrainableModel model_;
  std::unique_ptr<Optimizer> optimizer_;
  TrainingStep step_;
  std::vector<std::uint32_t> places_;
  std::vector<Shard> batch_, next_batch_;
};

/// Returns the speeds of all turns in million sessions per second: of processes that wait for each
/// message, and of those that do not.
std::array<std::vector<double>, 2> speeds_over(Network& network, const std::string& type,
                                               std::int64_t rows, std::int64_t batch,
                                               double seconds) {
  std::array<std::vector<double>, 2> speeds;
  synthetic_log(rows);  // both threads use it
  std::barrier together(process_count);
  std::size_t steps = 10;
  const auto train = [&](std::size_t number) {
    NetworkProcess process(network, number);
    ProcessTraining training(type, rows, batch, process);
    for (int round = -1; round < network_turns; ++round)  // the first warms up
      for (const bool overlaps : {false, true}) {
        process.set_overlaps(overlaps);
        together.arrive_and_wait();
        const auto start = NetworkClock::now();
        for (std::size_t i = 0; i < steps; ++i) training.step();
        together.arrive_and_wait();
        const double spent = std::chrono::duration<double>(NetworkClock::now() - start).count();
        const double sessions =
            static_cast<double>(steps * process_count) * static_cast<double>(batch);
        if (number == 0 && round >= 0) speeds[overlaps].push_back(sessions / spent / 1e6);
        if (number == 0 && round < 0)
          steps = std::max<std::size_t>(
              1, static_cast<std::size_t>(seconds / spent * static_cast<double>(steps)));
        together.arrive_and_wait();
      }
  };
  std::thread other(train, 1);
  train(0);
  other.join();
  return speeds;
}

void measure_at(const MeasurementPlan& plan, const std::string& type, double gigabits,
                const TakeMeasurement& take) {
  const std::int64_t rows = plan.usual_rows();
  for (const std::int64_t batch : plan.batches) {
    Network network(gigabits);
    const auto [waiting, overlapping] = speeds_over(network, type, rows, batch, plan.seconds);
    Measurement speed{.what = "network",
                      .unit = "M sessions/s",
                      .subject = fmt::format("{} over {} Gbit/s, waiting", type, gigabits),
                      .batch = batch,
                      .threads = 1,
                      .rows = rows,
                      .value = sorted_quantile(waiting, 0.5)};
    take(speed);
    speed.subject = fmt::format("{} over {} Gbit/s", type, gigabits);
    speed.value = sorted_quantile(overlapping, 0.5);
    take(speed);
    std::vector<double> ratios;
    for (std::size_t r = 0; r < waiting.size(); ++r) ratios.push_back(overlapping[r] / waiting[r]);
    speed.unit = "times waiting";
    speed.value = sorted_quantile(ratios, 0.5);
    take(speed);
  }
}

}  // namespace

void measure_network(const MeasurementPlan& plan, const TakeMeasurement& take) {
  for (const std::string& type : plan.models)
    if (type == "pbm" || type == "dbn")
      for (const double gigabits : gigabits_per_second) measure_at(plan, type, gigabits, take);
}

}  // namespace ultr::bench
