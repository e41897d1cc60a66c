#pragma once

#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace ultr {

/// Takes items, in order, that threads of their own make ahead, so that the work on the items does
/// not wait for slow input. Several threads may make items at once, each from an input: inputs are
/// taken one after another, and items come in the order of their inputs. If the system starts no
/// thread, all runs on that of the work. The counterpart of BackgroundQueue.
template <class Item, class Input = Item>
class BackgroundSource {
 public:
  /// Returns the next input; nothing after the last one, and is not called again then. Never called
  /// twice at once.
  using Take = std::function<std::optional<Input>()>;
  /// Makes an item from an input. `thread`: number of the calling thread, from 0.
  using Make = std::function<Item(std::size_t thread, Input input)>;

  /// `most`: number of items that may wait or be in the making; then no input is taken.
  BackgroundSource(std::size_t threads, std::size_t most, Take take, Make make)
      : take_(std::move(take)), make_(std::move(make)), places_(most) {
    threads_.reserve(threads);
    try {
      for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this, i] { work(i); });
    } catch (const std::system_error&) {  // those that were started suffice; without any, `next`
    }
  }
  /// Takes items from a function that makes them, on one thread.
  BackgroundSource(std::size_t most, Take make)
    requires std::same_as<Item, Input>
      : BackgroundSource(1, most, std::move(make), [](std::size_t, Input input) { return input; }) {
  }
  ~BackgroundSource() {
    {
      const std::scoped_lock lock(mutex_);
      dropped_ = true;
      changed_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
  }
  BackgroundSource(const BackgroundSource&) = delete;
  BackgroundSource& operator=(const BackgroundSource&) = delete;

  /// Returns the next item; nothing after the last one. Throws what taking its input or making it
  /// has thrown, which ends the items.
  std::optional<Item> next() {
    if (threads_.empty()) make_next(0);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return given_ < taken_ ? place(given_).is_made : ended_; });
    if (given_ == taken_) return std::nullopt;
    Place next = std::exchange(place(given_), Place());
    ++given_;
    changed_.notify_all();
    if (!next.error) return std::move(next.item);
    given_ = taken_;  // what was made after it is not given
    std::rethrow_exception(next.error);
  }

 private:
  struct Place {
    std::optional<Item> item;
    std::exception_ptr error;
    bool is_made = false;  // or has failed
  };

  void work(std::size_t thread) {
    while (make_next(thread)) {
    }
  }

  /// Takes an input and makes its item. Returns false if there is none or no more is wanted.
  bool make_next(std::size_t thread) {
    std::exception_ptr error;
    std::uint64_t number = 0;
    std::optional<Input> input = take_next(number, error);
    if (!input && !error) return false;
    Place made{.item = input ? item_of(thread, std::move(*input), error) : std::nullopt,
               .error = error,
               .is_made = true};
    const std::scoped_lock lock(mutex_);
    place(number) = std::move(made);
    ended_ = ended_ || error;
    changed_.notify_all();
    return !ended_;
  }

  /// Waits until there is room for another item, and takes its input and its number.
  std::optional<Input> take_next(std::uint64_t& number, std::exception_ptr& error) {
    const std::scoped_lock one_at_a_time(taking_);
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return taken_ - given_ < places_.size() || dropped_ || ended_; });
      if (dropped_ || ended_) return std::nullopt;
    }
    std::optional<Input> input = taken(error);
    const std::scoped_lock lock(mutex_);
    ended_ = ended_ || !input;
    if (input || error) number = taken_++;
    changed_.notify_all();
    return input;
  }

  std::optional<Input> taken(std::exception_ptr& error) {
    try {
      return take_();
    } catch (...) {
      error = std::current_exception();
      return std::nullopt;
    }
  }

  std::optional<Item> item_of(std::size_t thread, Input input, std::exception_ptr& error) {
    try {
      return make_(thread, std::move(input));
    } catch (...) {
      error = std::current_exception();
      return std::nullopt;
    }
  }

  Place& place(std::uint64_t number) { return places_[number % places_.size()]; }

  Take take_;
  Make make_;
  std::mutex taking_;  // held while an input is taken
  std::mutex mutex_;   // of all that follows
  std::condition_variable changed_;
  /// Places of the items that were not given yet. Their memory is there from the start: its lack
  /// could not be reported later.
  std::vector<Place> places_;
  std::uint64_t taken_ = 0, given_ = 0;  // numbers of inputs and of items
  bool ended_ = false;                   // no further input is taken
  bool dropped_ = false;                 // no further item is wanted
  std::vector<std::thread> threads_;     // last: they use the others
};

}  // namespace ultr
