#pragma once

#include <array>
#include <bit>

#include "kernels/pack.h"

/// exp, log and their relatives on packs, accurate over the whole range of float32 and float64,
/// including infinities, zeros, subnormal arguments and subnormal results. NaN in gives NaN out.
/// Each function states a bound of its error in units in the last place (ulp) of the exact result,
/// which holds in both precisions, with and without fused multiply-add.
/// benchmarks/elementwise_bench.cpp compares their speed with the C library, and docs/numerics.md
/// compares both with SLEEF and Highway.
///
/// Method: exp reduces to |r| <= ln(2)/2 by Cody-Waite and evaluates a polynomial (fitted with
/// Sollya's fpminimax). Logarithms reduce to [sqrt(1/2), sqrt(2)). All logarithms share one kernel,
/// `log_of_one_plus`, and all exponentials share `Exponential`.
///
/// The functions that formulas of ops call most are always inlined. GCC would otherwise call them,
/// and a call saves every vector register and reads all coefficients anew.
namespace ultr {

template <class T>
struct MathConstants;

template <>
struct MathConstants<float> {
  static constexpr int mantissa_bits = 23;
  static constexpr int exponent_bias = 127;
  static constexpr float round_to_integer =
      0x1.8p23f;                                   // adding it leaves an integer in the low bits
  static constexpr float ln2_high = 0.693359375f;  // few bits, so that k * ln2_high is exact
  static constexpr float ln2_low = -2.12194440e-4f;
  static constexpr float smallest_exponent = -176.1f;  // e^x is 0 below -104, and here 2^(k/2)
  static constexpr float largest_exponent = 89.0f;     // exp is inf above
  static constexpr int smallest_power = -150;          // (1 + m) 2^k rounds to 0 for smaller k
  static constexpr float smallest_normal = 0x1p-126f;
  static constexpr float subnormal_scale = 0x1p32f;
  static constexpr int subnormal_exponent = 32;
  // expm1(r) = r + r^2 q(r), relative error 2.5e-8
  static constexpr float exp_polynomial[] = {0x1p-1f, 0x1.5554dcp-3f, 0x1.5554eap-5f,
                                             0x1.120c0ap-7f, 0x1.6d4bfep-10f};
  // log1p(f) = f - f^2/2 + f^3 q(f), relative error 4.6e-9
  static constexpr float log_polynomial[] = {
      0.333333313465118408203125f,    -0.24999980628490447998046875f,
      0.20000679790973663330078125f,  -0.166691839694976806640625f,
      0.142513751983642578125f,       -0.123961620032787322998046875f,
      0.1163233816623687744140625f,   -0.116625599563121795654296875f,
      7.3413901031017303466796875e-2f};
};

template <>
struct MathConstants<double> {
  static constexpr int mantissa_bits = 52;
  static constexpr int exponent_bias = 1023;
  static constexpr double round_to_integer = 0x1.8p52;
  static constexpr double ln2_high = 6.93147180369123816490e-01;
  static constexpr double ln2_low = 1.90821492927058770002e-10;
  static constexpr double smallest_exponent = -1418.2;
  static constexpr double largest_exponent = 710.0;
  static constexpr int smallest_power = -1075;
  static constexpr double smallest_normal = 0x1p-1022;
  static constexpr double subnormal_scale = 0x1p64;
  static constexpr int subnormal_exponent = 64;
  // expm1(r) = r + r^2 q(r), relative error 5.5e-19
  static constexpr double exp_polynomial[] = {
      0.5,
      0.1666666666666667129259593593815225176513195037841796875,
      4.1666666666666678231489839845380629412829875946044921875e-2,
      8.3333333333258929886966370759182609617710113525390625e-3,
      1.38888888888769848790893934875612103496678173542022705078125e-3,
      1.984126987542652752107702474049233387631829828023910522460937e-4,
      2.480158734242291919511354258975899256256525404751300811767578e-5,
      2.755725480165391900203237032784819859898561844602227210998535e-6,
      2.755725700403085813360937531002470279872795799747109413146973e-7,
      2.510542102106048228685776242240929034821306231606286019086838e-8,
      2.092035086417112249117318843261506544628502979321638122200966e-9};
  // With s = f / (2 + f): log1p(f) = f - f^2/2 + s (f^2/2 + s^2 q(s^2)), fdlibm's polynomial
  static constexpr double log_polynomial[] = {6.666666666666735130e-01, 3.999999999940941908e-01,
                                              2.857142874366239149e-01, 2.222219843214978396e-01,
                                              1.818357216161805012e-01, 1.531383769920937332e-01,
                                              1.479819860511658591e-01};
};

/// c[0] + c[1] x + c[2] x^2 + ..., given x and its square. By Estrin's scheme terms are added two
/// by two, so that few wait for others. By Horner's rule each would wait, and processors do not
/// look far enough ahead to compute something else meanwhile. The last three terms wait as long by
/// either and take one multiplication less by Horner's rule.
template <class T, std::size_t n>
[[gnu::always_inline]] inline Pack<T> sum_of_powers(Pack<T> x, Pack<T> square,
                                                    const std::array<Pack<T>, n>& c) {
  if constexpr (n == 1) {
    return c[0];
  } else if constexpr (n == 3) {
    return (c[2] * x + c[1]) * x + c[0];
  } else {
    std::array<Pack<T>, (n + 1) / 2> pairs;
    for (std::size_t i = 0; i < n / 2; ++i) pairs[i] = c[2 * i + 1] * x + c[2 * i];
    if constexpr (n % 2 == 1) pairs[n / 2] = c[n - 1];
    return sum_of_powers(square, square * square, pairs);
  }
}

template <class T, std::size_t n>
[[gnu::always_inline]] inline Pack<T> polynomial(Pack<T> x, Pack<T> square,
                                                 const T (&coefficients)[n]) {
  std::array<Pack<T>, n> c;
  for (std::size_t i = 0; i < n; ++i) c[i] = Pack<T>::broadcast(coefficients[i]);
  return sum_of_powers(x, square, c);
}
template <class T, std::size_t n>
[[gnu::always_inline]] inline Pack<T> polynomial(Pack<T> x, const T (&coefficients)[n]) {
  return polynomial<T>(x, x * x, coefficients);
}

/// Returns 2^k for integer lanes k in the range of normal exponents.
template <class T>
[[gnu::always_inline]] inline Pack<T> power_of_two(typename Lanes<T>::Vector k) {
  using C = MathConstants<T>;
  return Bits<T>((k + C::exponent_bias) << C::mantissa_bits).pack();
}

/// Returns x 2^k for whole numbers k, rounded once, also where the result is subnormal or
/// overflows. `integers` are k again.
template <class T>
[[gnu::always_inline]] inline Pack<T> scaled(Pack<T> x, Pack<T> k,
                                             typename Lanes<T>::Vector integers) {
#if defined(__AVX512F__)
  static_cast<void>(integers);
  // Intel's processors take two hundred cycles where a result is too small for a normal number.
  const Pack<T> last = Pack<T>::broadcast(MathConstants<T>::smallest_power - T(0.5));
  if constexpr (sizeof(T) == 4)
    return {_mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(k.vector, last.vector, _CMP_NLE_UQ), x.vector,
                                   k.vector)};
  else
    return {_mm512_maskz_scalef_pd(_mm512_cmp_pd_mask(k.vector, last.vector, _CMP_NLE_UQ), x.vector,
                                   k.vector)};
#else
  static_cast<void>(k);
  const auto half = integers >> 1;
  return x * power_of_two<T>(half) * power_of_two<T>(integers - half);
#endif
}

/// e^x in parts: e^x = 2^k (1 + m) with m = expm1(r), |r| <= ln(2)/2. m is exact to one ulp of m.
template <class T>
struct Exponential {
  Pack<T> m, n;  // n: k as numbers
  typename Lanes<T>::Vector k;

  /// x in [smallest_exponent, largest_exponent] or NaN.
  [[gnu::always_inline]] explicit Exponential(Pack<T> x) {
    using C = MathConstants<T>;
    const Pack<T> shift = Pack<T>::broadcast(C::round_to_integer);
    const Pack<T> shifted = x * Pack<T>(1.44269504088896340736) + shift;
    k = Bits<T>(shifted).vector - Bits<T>(shift).vector;
    n = shifted - shift;
    const Pack<T> r =
        (x - n * Pack<T>::broadcast(C::ln2_high)) - n * Pack<T>::broadcast(C::ln2_low);
    const Pack<T> square = r * r;
    m = square * polynomial<T>(r, square, C::exp_polynomial) + r;
  }

  /// 2^k (1 + m), rounded once, also where the result is subnormal or overflows.
  [[gnu::always_inline]] Pack<T> value() const { return scaled(m + 1, n, k); }
};

/// e^x; overflows to inf and underflows gradually to 0. Error below 1.2 ulp.
template <class T>
[[gnu::always_inline]] inline Pack<T> exp(Pack<T> x) {
  using C = MathConstants<T>;
  return Exponential<T>(min(max(x, C::smallest_exponent), C::largest_exponent)).value();
}

/// e^(a-b), corrected for the rounding error of the difference, so that large a and b do not lose
/// digits. The difference must be finite, or -inf with b finite. Error below 2 ulp.
template <class T>
Pack<T> exp_of_difference(Pack<T> a, Pack<T> b) {
  const Pack<T> difference = a - b, b_rounded = a - difference;
  const Pack<T> lost = (a - (difference + b_rounded)) + (b_rounded - b);
  const Pack<T> power = exp(difference);
  return where(abs(difference) < Pack<T>(HUGE_VAL), power + power * lost, power);
}

/// e^x - 1, with a small relative error also near 0; -0 at -0. Error below 2.2 ulp. A formula that
/// also takes exp of the same x reduces it once.
template <class T>
[[gnu::always_inline]] inline Pack<T> expm1(Pack<T> x) {
  using C = MathConstants<T>;
  constexpr T smallest = -100;  // e^x - 1 is -1 below
  const Exponential<T> e(min(max(x, smallest), C::largest_exponent));
  const auto half = e.k >> 1;  // 2^k may be infinite, its halves are not
  const Pack<T> low = power_of_two<T>(half), high = power_of_two<T>(e.k - half);
  // 2^k m + (2^k - 1), scaled in two steps so that 2^1024 is reached only by overflow.
  const Pack<T> result = (e.m * low + (low - power_of_two<T>(half - e.k))) * high;
  return where(x == Pack<T>(0), x, result);
}

/// k ln 2 + log(1 + f) for f in [sqrt(1/2) - 1, sqrt(2) - 1] and integers k.
template <class T>
[[gnu::always_inline]] inline Pack<T> log_of_one_plus(Pack<T> f, Pack<T> k) {
  using C = MathConstants<T>;
  const Pack<T> high = Pack<T>::broadcast(C::ln2_high), low = Pack<T>::broadcast(C::ln2_low);
  const Pack<T> f_square = f * f, half_square = f_square * 0.5;
  if constexpr (sizeof(T) == 4) {
    // f^3 q(f) does not count where f is small. There a larger square keeps higher powers from
    // being subnormal, with which many processors compute a hundred times more slowly.
    const Pack<T> square = max(f_square, Pack<T>::broadcast(0x1p-50f));
    const Pack<T> tail = f * square * polynomial<T>(f, square, C::log_polynomial) + k * low;
    return k * high + (f - (half_square - tail));
  } else {
    const Pack<T> s = f / (f + 2), square = s * s;
    const Pack<T> rest = square * polynomial<T>(square, C::log_polynomial);
    return k * high - ((half_square - (s * (half_square + rest) + k * low)) - f);
  }
}

/// x = 2^k (1 + f) with f in [sqrt(1/2) - 1, sqrt(2) - 1]. x: positive and normal.
template <class T>
struct Logarithm {
  Pack<T> f, k;

  [[gnu::always_inline]] explicit Logarithm(Pack<T> x) {
    using C = MathConstants<T>;
    using Integer = typename BitsOf<T>::type;
    constexpr Integer lowest = std::bit_cast<Integer>(static_cast<T>(0.70710678118654752440));
    // Counting exponents from sqrt(1/2) instead of from 1 centres the reduced argument on 1.
    using Vector = typename Lanes<T>::Vector;
    const Vector bits = Bits<T>(x).vector, offset = wrapping_difference(bits, lowest - Vector{});
    const Vector exponent = offset >> C::mantissa_bits;
    const Vector mantissa = wrapping_difference(bits, exponent << C::mantissa_bits);
    f = Bits<T>(mantissa).pack() - 1;
    // Converts the integer k to a float: added to the low bits of a large number, which is then
    // subtracted.
    const Pack<T> shift = Pack<T>::broadcast(C::round_to_integer);
    k = Bits<T>(exponent + Bits<T>(shift).vector).pack() - shift;
  }
};

/// Natural logarithm; -inf at 0, NaN below 0. Error below 1 ulp.
template <class T>
Pack<T> log(Pack<T> x) {
  using C = MathConstants<T>;
  const auto subnormal = x < Pack<T>::broadcast(C::smallest_normal);
  const Logarithm<T> reduced(where(subnormal, x * Pack<T>::broadcast(C::subnormal_scale), x));
  const Pack<T> k = where(subnormal, reduced.k - C::subnormal_exponent, reduced.k);
  const Pack<T> result = log_of_one_plus(reduced.f, k);
  // At 0, below 0, at inf and at NaN, the reduction yields nothing useful.
  const Pack<T> special = where(x == Pack<T>(0), -HUGE_VAL, where(x > Pack<T>(0), x, NAN));
  return where((x > Pack<T>(0)) & (x < Pack<T>(HUGE_VAL)), result, special);
}

/// log(1 + x), with a small relative error also near 0; 0 at -0, -inf at -1, NaN below -1. Error
/// below 1.5 ulp.
template <class T>
Pack<T> log1p(Pack<T> x) {
  const Pack<T> u = x + 1;
  const auto regular = (x > Pack<T>(-1)) & (x < Pack<T>(HUGE_VAL));
  const Logarithm<T> reduced(where(regular, u, 1.0));
  // Where 1 + x needs no scaling, f is x itself. Elsewhere the rounding error of 1 + x is added
  // back.
  const auto unscaled = reduced.k == Pack<T>(0);
  const Pack<T> lost = where(x > Pack<T>(1), 1 - (u - x), x - (u - 1)) / u;
  const Pack<T> result =
      log_of_one_plus(where(unscaled, x, reduced.f), reduced.k) + where(unscaled, 0.0, lost);
  const Pack<T> special = where(x == Pack<T>(-1), -HUGE_VAL, where(x > Pack<T>(-1), x, NAN));
  return where(regular, result, special);
}

/// log(1 + x) for x in [0, 1], the range of e^-|x|. Takes half the work of log1p, because there is
/// no exponent to extract. Error below 1.5 ulp.
template <class T>
[[gnu::always_inline]] inline Pack<T> log1p_of_unit(Pack<T> x) {
  const auto upper = x > Pack<T>(0.41421356237309504880);
  return log_of_one_plus(where(upper, (x - 1) * 0.5, x), where(upper, 1.0, Pack<T>(0)));
}

/// log(w) where w = 1 - y, both in [0, 1] and each given to full relative precision. One logarithm
/// serves both ends: near w = 1 it takes y, near w = 0 it takes w. Error below 1 ulp for the number
/// that it takes; below 2.5 ulp if y and w are rounded, because half an ulp of either changes the
/// logarithm by up to 1.5 ulp.
template <class T>
[[gnu::always_inline]] inline Pack<T> log_of_complement(Pack<T> y, Pack<T> w) {
  using C = MathConstants<T>;
  const auto near_one = y < Pack<T>(0.29);
  const auto subnormal = w < Pack<T>::broadcast(C::smallest_normal);
  const Logarithm<T> reduced(where(subnormal, w * Pack<T>::broadcast(C::subnormal_scale), w));
  const Pack<T> k = where(subnormal, reduced.k - C::subnormal_exponent, reduced.k);
  const Pack<T> result = log_of_one_plus(where(near_one, -y, reduced.f), where(near_one, 0.0, k));
  return where(w > Pack<T>(0), result, w - HUGE_VAL);  // -inf at 0, NaN at NaN
}

/// tanh(x) from expm1(-2|x|); -0 at -0. Error below 3 ulp.
template <class T>
[[gnu::always_inline]] inline Pack<T> tanh(Pack<T> x) {
  const Pack<T> m = expm1(abs(x) * -2);
  return with_sign_of(-m / (m + 2), x);
}

}  // namespace ultr
