#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "base/files/npy.h"

namespace ultr {

/// Number of values of a stream that are read back at once.
inline constexpr std::size_t npy_block = 4096;

/// Reads back the values of a stream one by one.
template <class T>
class NpyCursor {
 public:
  /// The stream must outlive the cursor.
  explicit NpyCursor(NpyStream<T>& stream) : stream_(&stream) {}

  /// Returns the next value; there must be one. Throws DataError as NpyStream::read does.
  T next() {
    if (at_ == values_.size()) {
      first_ += at_;
      at_ = 0;
      values_.resize(std::min(npy_block, stream_->size() - first_));
      stream_->read(first_, values_);
    }
    return values_[at_++];
  }

 private:
  NpyStream<T>* stream_;
  std::size_t first_ = 0, at_ = 0;  // index of values_[0] in the stream; next index in values_
  std::vector<T> values_;
};

/// Reads back the values of a stream block by block: calls take(index of the first value, values)
/// and then `check`, unless it is null, for each block. Throws DataError as NpyStream::read does.
template <class T>
void for_each_npy_block(NpyStream<T>& stream, const std::function<void()>& check,
                        const std::function<void(std::size_t first, std::span<T>)>& take) {
  std::vector<T> values;
  for (std::size_t first = 0; first < stream.size(); first += values.size()) {
    values.resize(std::min(npy_block, stream.size() - first));
    stream.read(first, values);
    take(first, values);
    if (check) check();
  }
}

}  // namespace ultr
