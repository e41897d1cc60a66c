#include "training/progress_table.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/progress_bar.h"
#include "base/standard_output.h"
#include "base/text/formatted_number.h"

namespace ultr {
namespace {

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// Returns a cell for each measure of the validation sessions, to the right and preceded by a
/// space: text(name, title).
template <class Text>
std::string validation_cells(Text text) {
  constexpr std::size_t narrowest = 9;
  std::string cells;
  for (const ClickMeasure& measure : numbers_in_files()) {
    if (measure.shown < Shown::progress) continue;
    std::string title(measure.name == "loss" ? "valid loss" : measure.name);
    std::replace(title.begin(), title.end(), '_', ' ');
    const std::size_t width = std::max(narrowest, title.size());
    cells += fmt::format(" {:>{}}", text(measure.name, title), width);
  }
  return cells;
}

}  // namespace

ProgressTable::ProgressTable(std::FILE* out, std::int64_t epochs, std::size_t sessions)
    : out_(out),
      terminal_(is_terminal(out)),
      epochs_(epochs),
      sessions_(sessions),
      start_(Clock::now()),
      epoch_start_(start_) {}

ProgressTable::~ProgressTable() {
  erase_running_line();
  std::fflush(out_);
}

void ProgressTable::resume(std::int64_t epochs_done, std::size_t sessions_done) {
  epochs_before_ = static_cast<double>(epochs_done) +
                   static_cast<double>(sessions_done) / static_cast<double>(sessions_);
  sessions_before_ = sessions_done;
}

void ProgressTable::header() {
  print_to(out_, "{:>7} {:>10}{} {:>10} {:>14}\n", "epoch", "train loss",
           validation_cells([](std::string_view, const std::string& title) { return title; }),
           "sessions/s", "left, at most");
  std::fflush(out_);
}

void ProgressTable::erase_running_line() {
  if (running_line_) print_to(out_, "\r\033[K");
  running_line_ = false;
}

void ProgressTable::step(std::int64_t epoch, std::size_t sessions_done) {
  if (!terminal_) return;
  const Clock::time_point now = Clock::now();
  if (now - drawn_ < redraw_every) return;
  drawn_ = now;
  const double spent = seconds_between(epoch_start_, now);
  const double done = static_cast<double>(sessions_done), all = static_cast<double>(sessions_);
  const double rate = static_cast<double>(sessions_done - sessions_before_) / spent;
  constexpr std::size_t width = 30;
  const auto filled = static_cast<std::size_t>(done / all * static_cast<double>(width));
  print_to(out_, "\r\033[K{:>7} [{}{}] {:>3.0f}%  {} sessions/s, epoch done in {}",
           fmt::format("{}/{}", epoch, epochs_), std::string(filled, '#'),
           std::string(width - filled, '.'), 100 * done / all, format_rate(rate),
           format_duration((all - done) / rate));
  std::fflush(out_);
  running_line_ = true;
}

void ProgressTable::epoch(const EpochResult& result) {
  erase_running_line();
  epoch_start_ = Clock::now();
  const double epochs_since_start = std::max(static_cast<double>(result.epoch) - epochs_before_,
                                             1 / static_cast<double>(sessions_));
  const double per_epoch = seconds_between(start_, epoch_start_) / epochs_since_start;
  sessions_before_ = 0;
  const auto score = [&](std::string_view measure, const std::string&) {
    return result.valid ? format_measure((*result.valid)[measure]) : "-";
  };
  print_to(out_, "{:>7} {:>10}{} {:>10} {:>14}{}\n", fmt::format("{}/{}", result.epoch, epochs_),
           format_measure(result.train_loss), validation_cells(score),
           format_rate(result.sessions_per_second),
           format_duration(per_epoch * static_cast<double>(epochs_ - result.epoch)),
           result.best ? " *" : "");
  std::fflush(out_);
}

}  // namespace ultr
