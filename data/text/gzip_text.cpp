#include "data/text/gzip_text.h"

#include <algorithm>

#include <isa-l/igzip_lib.h>

#include "base/error.h"

namespace ultr {
namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";

/// Says what an error of ISA-L means.
std::string_view meaning(int error) {
  if (error == ISAL_INCORRECT_CHECKSUM) return "its checksum is not that of its text";
  if (error == ISAL_UNSUPPORTED_METHOD) return "it is compressed by an unknown method";
  if (error == ISAL_INVALID_WRAPPER) return "its header is damaged";
  return "its compressed text is damaged";
}

}  // namespace

GzipText::GzipText(ReadBytes read_bytes, std::size_t buffer_bytes)
    : read_bytes_(std::move(read_bytes)),
      buffer_(buffer_bytes),
      state_(std::make_unique<inflate_state>()) {
  isal_inflate_init(state_.get());
}

GzipText::~GzipText() = default;

bool GzipText::is_gzip(std::string_view first_bytes) { return first_bytes.starts_with(gzip_magic); }

std::size_t GzipText::read(std::span<char> into) {
  state_->next_out = reinterpret_cast<std::uint8_t*>(into.data());
  state_->avail_out = static_cast<std::uint32_t>(into.size());
  while (state_->avail_out > 0 && !ended_ && problem_.empty())
    within_text_ ? go_on() : begin_next();
  const std::size_t got = into.size() - state_->avail_out;
  if (got == 0 && !problem_.empty()) throw DataError(problem_);
  return got;
}

void GzipText::begin_next() {
  const auto is_padding = [&] { return !first_ && *state_->next_in == 0; };
  while (has_bytes() && is_padding()) {
    ++state_->next_in;
    --state_->avail_in;
  }
  ended_ = state_->avail_in == 0;
  within_text_ = !ended_;
  if (!ended_ && !first_ && *state_->next_in != static_cast<std::uint8_t>(gzip_magic[0]))
    problem_ = "what follows its compressed text is not gzip";
  isal_inflate_reset(state_.get());
  state_->crc_flag = ISAL_GZIP;
}

void GzipText::go_on() {
  const bool may_go_on = has_bytes();
  const std::uint32_t room = state_->avail_out;
  const int result = isal_inflate(state_.get());
  if (result < 0) {
    problem_ = meaning(result);
  } else if (state_->block_state == ISAL_BLOCK_FINISH) {
    within_text_ = first_ = false;
  } else if (!may_go_on && state_->avail_out == room) {
    problem_ = "its end is missing";
  }
}

bool GzipText::has_bytes() {
  if (state_->avail_in > 0) return true;
  state_->next_in = reinterpret_cast<std::uint8_t*>(buffer_.data());
  state_->avail_in = static_cast<std::uint32_t>(read_bytes_(buffer_));
  return state_->avail_in > 0;
}

}  // namespace ultr
