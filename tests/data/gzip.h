#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <zlib.h>

#include "base/random.h"

namespace ultr::testing {

/// Compresses a text to the bytes of a gzip file.
inline std::string gzip(std::string_view text) {
  z_stream stream = {};
  constexpr int gzip_window = 15 + 16;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::string bytes(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const int result = deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("deflate");
  return bytes;
}

/// Returns a text of so many different letters that gzip cannot compress well; with all 256 it
/// stores the text as it is.
inline std::string noise(std::size_t size, std::uint32_t letters = 90) {
  RandomStream random(1, RandomPurpose::testing, 0, 0);
  std::string text(size, ' ');
  for (char& letter : text) letter = static_cast<char>('!' + random.below(letters));
  return text;
}

}  // namespace ultr::testing
