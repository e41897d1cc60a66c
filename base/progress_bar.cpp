#include "base/progress_bar.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/standard_output.h"
#include "base/text/formatted_number.h"

namespace ultr {

ProgressBar::ProgressBar(std::FILE* out, std::string label, std::uint64_t total, std::string unit)
    : out_(out),
      terminal_(is_terminal(out)),
      label_(std::move(label)),
      unit_(std::move(unit)),
      total_(total),
      start_(Clock::now()),
      drawn_(start_) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::clear() {
  if (!drawn_once_ || !terminal_) return;
  drawn_once_ = false;
  print_to(out_, "\r\033[K");
  std::fflush(out_);
}

void ProgressBar::add(std::uint64_t units) {
  done_ += units;
  const Clock::time_point now = Clock::now();
  Console* const shown_on = console();
  if ((!terminal_ && shown_on == nullptr) || total_ == 0 ||
      (drawn_once_ && now - drawn_ < redraw_every))
    return;
  drawn_ = now;
  drawn_once_ = true;
  if (shown_on != nullptr) return shown_on->progress(label_, unit_, done_, total_);
  constexpr double width = 30;
  const double share = std::min(static_cast<double>(done_) / static_cast<double>(total_), 1.);
  const double spent = std::chrono::duration<double>(now - start_).count();
  const auto filled = static_cast<std::size_t>(share * width);
  print_to(out_, "\r\033[K{} [{}{}] {:>3.0f}%  {}{}/s, {} left", label_, std::string(filled, '#'),
           std::string(static_cast<std::size_t>(width) - filled, '.'), 100 * share,
           format_rate(static_cast<double>(done_) / spent), unit_,
           format_duration(share > 0 ? spent * (1 - share) / share : 0));
  std::fflush(out_);
}

void ProgressBars::operator()(std::string_view work, std::string_view unit, std::uint64_t done,
                              std::uint64_t all) {
  if (!bar_ || work != work_) {
    bar_.emplace(stderr, std::string(work), all, fmt::format(" {}", unit));
    work_ = work;
    done_ = 0;
  }
  bar_->add(done - done_);
  done_ = done;
}

}  // namespace ultr
