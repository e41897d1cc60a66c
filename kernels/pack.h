#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/// Packs: as many numbers as one vector register holds, with ordinary arithmetic.
///
/// Formulas of ops are generic lambdas over a pack, so one text serves float32, float64 and every
/// register width. Packs are built on the compiler's vector extension with almost no intrinsics:
/// the same source builds for AVX-512, AVX2, SSE and other processors. They are internal to the
/// library, because a pack's size depends on compiler flags: no header that installed code includes
/// may use them, except `elementwise.h` and `vector_math.h`, which exist to define ops.
namespace ultr {

#if defined(__AVX512F__)
inline constexpr std::size_t pack_bytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t pack_bytes = 32;
#else
inline constexpr std::size_t pack_bytes = 16;
#endif

/// The integer type as large as T. It holds bit patterns and results of comparisons.
template <class T>
struct BitsOf;
template <>
struct BitsOf<float> {
  using type = std::int32_t;
};
template <>
struct BitsOf<double> {
  using type = std::int64_t;
};

template <class T>
struct Bits;

/// One truth value per lane: all bits set, or none.
template <class T>
struct Lanes {
  using Integer = typename BitsOf<T>::type;
  typedef Integer Vector __attribute__((vector_size(pack_bytes)));
  Vector vector;

  friend Lanes operator&(Lanes a, Lanes b) { return {a.vector & b.vector}; }
  friend Lanes operator|(Lanes a, Lanes b) { return {a.vector | b.vector}; }
  friend Lanes operator!(Lanes a) { return {~a.vector}; }
};

/// A part of a pack: `lanes` numbers, a power of 2. Loads and stores fewer than that by halves.
/// Copying a variable number of bytes calls the C library and makes the register wait for memory,
/// which took longer than all arithmetic on a row of 17 features.
template <class T, std::size_t lanes>
struct PackPart {
  typedef T Vector __attribute__((vector_size(lanes * sizeof(T))));
  static constexpr std::size_t half = lanes / 2;
  using Half = PackPart<T, half>;

  /// Loads `count` numbers, fewer than `lanes`, into the first lanes; the others are 0.
  [[gnu::always_inline]] static Vector load(const T* from, std::size_t count) {
    typename Half::Vector first{};
    const bool more = count >= half;
    if (more) std::memcpy(&first, from, sizeof first);
    const auto rest = Half::load(more ? from + half : from, more ? count - half : count);
    return more ? joined(first, rest) : joined(rest, first);
  }

  /// Stores the first `count` lanes, fewer than all.
  [[gnu::always_inline]] static void store(Vector all, T* to, std::size_t count) {
    const typename Half::Vector first = slice<0>(all), second = slice<half>(all);
    const bool more = count >= half;
    if (more) std::memcpy(to, &first, sizeof first);
    Half::store(more ? second : first, more ? to + half : to, more ? count - half : count);
  }

 private:
  [[gnu::always_inline]] static Vector joined(typename Half::Vector a, typename Half::Vector b) {
    if constexpr (half == 1)
      return Vector{a, b};
    else
      return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return __builtin_shufflevector(a, b, i...);
      }(std::make_index_sequence<lanes>{});
  }
  template <std::size_t begin>
  [[gnu::always_inline]] static typename Half::Vector slice(Vector all) {
    if constexpr (half == 1)
      return all[begin];
    else
      return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return __builtin_shufflevector(all, all, (begin + i)...);
      }(std::make_index_sequence<half>{});
  }
};

/// A single number, of which nothing is left to load or store.
template <class T>
struct PackPart<T, 1> {
  using Vector = T;
  static T load(const T*, std::size_t) { return 0; }
  static void store(T, T*, std::size_t) {}
};

/// As many numbers of type T as one vector register holds.
template <class T>
struct Pack {
  using Scalar = T;
  typedef T Vector __attribute__((vector_size(pack_bytes)));
  static constexpr std::size_t size = pack_bytes / sizeof(T);

  Vector vector;

  Pack() = default;
  // Adding to 0 turns -0 into 0. GCC schedules such constants better than those made by
  // subtraction.
  Pack(Vector v) : vector(v) {}                                 // NOLINT: implicit
  Pack(double all) : vector(Vector{} + static_cast<T>(all)) {}  // NOLINT: implicit
  Pack(int all) : vector(Vector{} + static_cast<T>(all)) {}     // NOLINT: implicit
  /// All lanes the same number, but 0 in place of -0.
  static Pack broadcast(T all) { return Pack(Vector{} + all); }
  /// All lanes the same number, -0 included.
  static Pack repeat(T all) { return Pack(all - Vector{}); }

  static Pack load(const T* from) {
    Pack result;
    std::memcpy(&result.vector, from, sizeof(Vector));
    return result;
  }
  void store(T* to) const { std::memcpy(to, &vector, sizeof(Vector)); }

  /// Loads `count` numbers into the first lanes; the others are 0. Reads nothing beyond them.
  static Pack load(const T* from, std::size_t count) {
    Pack result(0);
    std::memcpy(&result.vector, from, count * sizeof(T));
    return result;
  }
  void store(T* to, std::size_t count) const { std::memcpy(to, &vector, count * sizeof(T)); }

  /// Loads fewer numbers than a pack has, faster than `load` (see PackPart). Elementwise ops must
  /// not use it: GCC may round their formula differently at the end of a row than in whole packs.
  static Pack load_few(const T* from, std::size_t count) {
    return PackPart<T, size>::load(from, count);
  }
  /// Stores fewer numbers than a pack has; the counterpart of load_few.
  void store_few(T* to, std::size_t count) const { PackPart<T, size>::store(vector, to, count); }

  friend Pack operator+(Pack a, Pack b) { return a.vector + b.vector; }
  friend Pack operator-(Pack a, Pack b) { return a.vector - b.vector; }
  friend Pack operator*(Pack a, Pack b) { return a.vector * b.vector; }
  friend Pack operator/(Pack a, Pack b) { return a.vector / b.vector; }
  friend Pack operator-(Pack a) { return -a.vector; }
  Pack& operator+=(Pack b) { return *this = *this + b; }

  friend Lanes<T> operator<(Pack a, Pack b) { return {a.vector < b.vector}; }
  friend Lanes<T> operator<=(Pack a, Pack b) { return {a.vector <= b.vector}; }
  friend Lanes<T> operator>(Pack a, Pack b) { return {a.vector > b.vector}; }
  friend Lanes<T> operator>=(Pack a, Pack b) { return {a.vector >= b.vector}; }
  friend Lanes<T> operator==(Pack a, Pack b) { return {a.vector == b.vector}; }
  friend Lanes<T> operator!=(Pack a, Pack b) { return {a.vector != b.vector}; }
};

/// The bit patterns of a pack, for the few formulas that work on exponents and signs.
template <class T>
struct Bits {
  using Integer = typename BitsOf<T>::type;
  typename Lanes<T>::Vector vector;

  explicit Bits(Pack<T> pack) { std::memcpy(&vector, &pack.vector, sizeof vector); }
  explicit Bits(typename Lanes<T>::Vector v) : vector(v) {}
  Pack<T> pack() const {
    Pack<T> result;
    std::memcpy(&result.vector, &vector, sizeof vector);
    return result;
  }
};

/// a - b of bit patterns, with wraparound: a formula may reduce an argument outside its domain and
/// select another result in the end.
template <class Vector>
Vector wrapping_difference(Vector a, Vector b) {
  using Unsigned = std::make_unsigned_t<std::remove_cvref_t<decltype(a[0])>>;
  typedef Unsigned UnsignedVector __attribute__((vector_size(pack_bytes)));
  return reinterpret_cast<Vector>(reinterpret_cast<UnsignedVector>(a) -
                                  reinterpret_cast<UnsignedVector>(b));
}

/// Selects `condition ? yes : no` lane by lane. A lane that is not chosen may hold anything, NaN
/// included.
template <class T>
Pack<T> where(Lanes<T> condition, Pack<T> yes, Pack<T> no) {
  return Pack<T>(condition.vector ? yes.vector : no.vector);
}
template <class T>
Pack<T> where(Lanes<T> condition, double yes, Pack<T> no) {
  return where(condition, Pack<T>(yes), no);
}
template <class T>
Pack<T> where(Lanes<T> condition, Pack<T> yes, double no) {
  return where(condition, yes, Pack<T>(no));
}
template <class T>
Pack<T> where(Lanes<T> condition, double yes, double no) {
  return where(condition, Pack<T>(yes), Pack<T>(no));
}

/// The larger (smaller) of x and a bound. NaN if x is NaN: the bound is returned only if it
/// compares greater (smaller).
template <class T>
Pack<T> max(Pack<T> x, double bound) {
  return where(x < Pack<T>(bound), bound, x);
}
template <class T>
Pack<T> min(Pack<T> x, double bound) {
  return where(x > Pack<T>(bound), bound, x);
}
template <class T>
Pack<T> max(Pack<T> a, Pack<T> b) {
  return where(a < b, b, a);
}
template <class T>
Pack<T> min(Pack<T> a, Pack<T> b) {
  return where(b < a, b, a);
}

template <class T>
Pack<T> abs(Pack<T> x) {
  using Integer = typename BitsOf<T>::type;
  constexpr Integer magnitude = static_cast<Integer>(~(std::uint64_t{1} << (8 * sizeof(T) - 1)));
  return Bits<T>(Bits<T>(x).vector & magnitude).pack();
}

/// Returns x with the sign of `sign`. x must not be negative.
template <class T>
Pack<T> with_sign_of(Pack<T> x, Pack<T> sign) {
  using Integer = typename BitsOf<T>::type;
  constexpr Integer sign_bit = std::numeric_limits<Integer>::min();
  return Bits<T>(Bits<T>(x).vector | (Bits<T>(sign).vector & sign_bit)).pack();
}

template <class T>
Pack<T> sqrt(Pack<T> x) {
  T lanes[Pack<T>::size];
  x.store(lanes);
  for (T& lane : lanes) lane = std::sqrt(lane);
  return Pack<T>::load(lanes);
}

/// Calls block(i) for each whole pack of `size` numbers, which starts at number i, and then
/// block(i, lanes) if `lanes` numbers are left.
template <class T, class Block>
void for_each_pack(std::size_t size, Block block) {
  std::size_t i = 0;
  for (; i + Pack<T>::size <= size; i += Pack<T>::size) block(i);
  if (i < size) block(i, size - i);
}

/// Returns a vector of half as many lanes: lane i of the lower half plus lane i of the upper half.
template <class Vector, std::size_t... i>
auto folded(Vector x, std::index_sequence<i...>) {
  return __builtin_shufflevector(x, x, i...) + __builtin_shufflevector(x, x, (sizeof...(i) + i)...);
}

/// Returns the sum of all lanes, always added in the same order: halves are folded onto each other.
template <class T, std::size_t lanes = Pack<T>::size, class Vector>
T sum_of_lanes(Vector x) {
  if constexpr (lanes == 2)
    return x[0] + x[1];
  else
    return sum_of_lanes<T, lanes / 2>(folded(x, std::make_index_sequence<lanes / 2>{}));
}
template <class T>
T sum(Pack<T> x) {
  return sum_of_lanes<T>(x.vector);
}

/// Returns the sum of n contiguous numbers.
template <class T>
T sum_of(const T* x, std::size_t n) {
  Pack<T> total(0);
  for_each_pack<T>(n,
                   [&](std::size_t i, auto... lanes) { total += Pack<T>::load(x + i, lanes...); });
  return sum(total);
}

/// Transposes blocks of four by four: within each group of four lanes, lane c of pack r becomes
/// lane r of pack c. It is its own inverse.
template <class T, std::size_t... lane>
std::array<Pack<T>, 4> transposed(const std::array<Pack<T>, 4>& packs,
                                  std::index_sequence<lane...>) {
  constexpr std::size_t n = sizeof...(lane);
  const auto interleaved = [](Pack<T> a, Pack<T> b, auto half) {
    return Pack<T>(__builtin_shufflevector(a.vector, b.vector,
                                           (lane % 2 * n + lane / 4 * 4 + lane % 4 / 2 + half)...));
  };
  const auto paired = [](Pack<T> a, Pack<T> b, auto half) {
    return Pack<T>(__builtin_shufflevector(a.vector, b.vector,
                                           (lane % 4 / 2 * n + lane / 4 * 4 + lane % 2 + half)...));
  };
  constexpr std::integral_constant<std::size_t, 0> low;
  constexpr std::integral_constant<std::size_t, 2> high;
  const Pack<T> low_01 = interleaved(packs[0], packs[1], low),
                low_23 = interleaved(packs[2], packs[3], low),
                high_01 = interleaved(packs[0], packs[1], high),
                high_23 = interleaved(packs[2], packs[3], high);
  return {paired(low_01, low_23, low), paired(low_01, low_23, high), paired(high_01, high_23, low),
          paired(high_01, high_23, high)};
}

/// Loads and stores records of four consecutive floats, as many records as a pack has lanes: pack f
/// holds number f of each record. Registers are filled with whole records, which costs a fraction
/// of filling them number by number.
class FourFloatRecords {
 public:
  using P = Pack<float>;

  /// `record_at(i)` returns the address of record i.
  template <class RecordAt>
  static std::array<P, 4> load(RecordAt record_at) {
    std::array<P, 4> packs;
    for (std::size_t r = 0; r < 4; ++r)
      packs[r] = P(joined<P::size / 4>([&](std::size_t group) {
        Record record;
        std::memcpy(&record, record_at(4 * group + r), sizeof record);
        return record;
      }));
    return transposed(packs, lanes);
  }

  template <class RecordAt>
  static void store(const std::array<P, 4>& packs, RecordAt record_at) {
    const std::array<P, 4> records = transposed(packs, lanes);
    for (std::size_t r = 0; r < 4; ++r)
      part<P::size / 4>(records[r].vector, [&](std::size_t group, Record record) {
        std::memcpy(record_at(4 * group + r), &record, sizeof record);
      });
  }

 private:
  typedef float Record __attribute__((vector_size(16)));
  static constexpr auto lanes = std::make_index_sequence<P::size>{};

  template <class Vector, std::size_t... i>
  static auto joined(Vector a, Vector b, std::index_sequence<i...>) {
    return __builtin_shufflevector(a, b, i...);
  }
  /// Returns one vector of `count` records, beginning with record_of(first).
  template <std::size_t count, class RecordOf>
  static auto joined(RecordOf record_of, std::size_t first = 0) {
    if constexpr (count == 1)
      return record_of(first);
    else
      return joined(joined<count / 2>(record_of, first),
                    joined<count / 2>(record_of, first + count / 2),
                    std::make_index_sequence<4 * count>{});
  }
  template <std::size_t first, class Vector, std::size_t... i>
  static auto slice(Vector vector, std::index_sequence<i...>) {
    return __builtin_shufflevector(vector, vector, (first + i)...);
  }
  /// Passes the `count` records of a vector to `take`, one by one.
  template <std::size_t count, class Vector, class Take>
  static void part(Vector vector, Take take, std::size_t first = 0) {
    if constexpr (count == 1) {
      take(first, vector);
    } else {
      constexpr auto half = std::make_index_sequence<2 * count>{};
      part<count / 2>(slice<0>(vector, half), take, first);
      part<count / 2>(slice<2 * count>(vector, half), take, first + count / 2);
    }
  }
};

/// Returns lanes of which the first `count` are true, or all if there are fewer.
template <class T>
Lanes<T> first_lanes(std::size_t count) {
  using Integer = typename BitsOf<T>::type;
  constexpr auto numbers = [] {
    std::array<Integer, Pack<T>::size> lanes{};
    for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = static_cast<Integer>(i);
    return lanes;
  }();
  typename Lanes<T>::Vector lane;
  std::memcpy(&lane, numbers.data(), sizeof lane);
  return {lane < static_cast<Integer>(count)};
}

/// True if all lanes are.
template <class T>
bool all_true(const Lanes<T>& lanes) {
  return sum(where(lanes, Pack<T>(0), Pack<T>(1))) == 0;
}

/// True where least <= x <= most.
template <class T>
Lanes<T> is_between(Pack<T> x, T least, T most) {
  return (x >= Pack<T>(least)) & (x <= Pack<T>(most));
}

/// Loads `count` bytes as lanes that are true where the byte is not 0. Lanes beyond are false.
template <class T>
Lanes<T> load_mask(const std::uint8_t* from, std::size_t count = Pack<T>::size) {
#if defined(__AVX2__) || (defined(__SSE2__) && !defined(__AVX__))
  // GCC 12 compiles the conversion below to a hundred instructions, byte by byte.
  if constexpr (sizeof(T) == sizeof(float)) {
    __m128i few = _mm_setzero_si128();
    std::memcpy(&few, from, count);
#if defined(__AVX512F__)
    const __m512i wide = _mm512_maskz_cvtepi8_epi32(0xFFFF, few);
#elif defined(__AVX2__)
    const __m256i wide = _mm256_cvtepi8_epi32(few);
#else
    const __m128i none = _mm_setzero_si128();
    const __m128i wide = _mm_unpacklo_epi16(_mm_unpacklo_epi8(few, none), none);
#endif
    return {reinterpret_cast<typename Lanes<T>::Vector>(wide) != 0};
  }
#endif
  typedef std::int8_t Bytes __attribute__((vector_size(pack_bytes / sizeof(T))));
  Bytes bytes{};
  std::memcpy(&bytes, from, count);
  return {__builtin_convertvector(bytes, typename Lanes<T>::Vector) != 0};
}

}  // namespace ultr
