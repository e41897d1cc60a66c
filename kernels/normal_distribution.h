#pragma once

#include "kernels/pack.h"
#include "kernels/vector_math.h"

namespace ultr {

/// Coefficients of a polynomial in y = 2t - 1, t = c / (c + z), that approximates erfcx(z) / t for
/// z >= 0, where erfcx(z) = e^(z²) (1 - erf z). They interpolate values of 60 digits at Chebyshev
/// nodes.
template <class T>
struct ErfcxPolynomial;

/// Relative error below 8e-8.
template <>
struct ErfcxPolynomial<float> {
  static constexpr double c = 2;
  static constexpr float coefficients[] = {
      0.51079135691594524f,     0.34358033297009638f,    0.13973573352192914f,
      0.018221384245757106f,    -0.010751626186584588f,  -0.0032418548953675043f,
      0.001529157160763692f,    0.00042702015076224992f, -0.00029938271207156447f,
      -3.2951539270185327e-05f, 4.2161197196387805e-05f, -1.327395517676192e-06f};
};

/// Relative error below 5e-16.
template <>
struct ErfcxPolynomial<double> {
  static constexpr double c = 3;
  static constexpr double coefficients[] = {
      0.35800230236277991,     0.29446481772329303,     0.19674278570136933,
      0.10348908730032487,     0.039842587095666314,    0.0089424115379584373,
      -0.00040413887394316183, -0.0010113539579816233,  -0.00018276991424949872,
      9.2258999977895082e-05,  3.5853923636812829e-05,  -1.0131578675156923e-05,
      -5.8238574076360061e-06, 1.5801189369395156e-06,  9.2258296402014064e-07,
      -3.2798388174368307e-07, -1.3722842699705352e-07, 7.2413148027705358e-08,
      1.6652640553590825e-08,  -1.3174436327282527e-08, -1.1893885619092368e-09,
      1.3433763579088608e-09,  2.3183140775046811e-12};
};

/// The standard normal distribution Φ(x) = P(N <= x) and its density φ(x) = e^(-x²/2) / √(2π).
/// One exponential gives both. Φ keeps its relative accuracy in the lower tail, except for the
/// rounding of x²/2 in the exponent.
template <class T>
struct NormalDistribution {
  Pack<T> distribution, density;

  [[gnu::always_inline]] explicit NormalDistribution(Pack<T> x) {
    using Polynomial = ErfcxPolynomial<T>;
    const Pack<T> power = exp(x * x * Pack<T>(-0.5));
    const Pack<T> z = abs(x) * Pack<T>(0.70710678118654752440);
    const Pack<T> t = Pack<T>(Polynomial::c) / (z + Pack<T>(Polynomial::c));
    const Pack<T> y = t + t - Pack<T>(1);
    const Pack<T> tail = t * polynomial<T>(y, Polynomial::coefficients) * power * Pack<T>(0.5);
    distribution = where(x < Pack<T>(0), tail, Pack<T>(1) - tail);
    density = power * Pack<T>(0.39894228040143267794);
  }
};

}  // namespace ultr
