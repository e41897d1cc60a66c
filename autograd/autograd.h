#pragma once

/// The menu of autograd/ and its rooms: a tape that records programs of tensor ops and
/// differentiates them.
#include "autograd/gradient_check.h"            // check_gradient
#include "autograd/markov/forward_algorithm.h"  // log_likelihoods, log_likelihoods_so_far
#include "autograd/ops/activations.h"           // relu, elu, tanh, gelu, gelu_tanh
#include "autograd/ops/arithmetic.h"  // + - * /, exp, log, log1p, expm1, sqrt, abs, clamp, ...
#include "autograd/ops/attention.h"   // attention within packed sequences
#include "autograd/ops/dropout.h"     // dropout
#include "autograd/ops/gather.h"      // gather (sparse gradient), gather_fixed, one_hot, read, take
#include "autograd/ops/layer_norm.h"  // layer_norm
#include "autograd/ops/logspace.h"    // log_sigmoid, log1mexp, logaddexp, ...
#include "autograd/ops/matmul.h"      // matmul, matmul_transposed, affine, matvec
#include "autograd/ops/outcomes.h"    // log_outcome, log_both
#include "autograd/ops/pairwise.h"    // pairwise_logistic
#include "autograd/ops/reductions.h"  // sum, mean, max, logsumexp, log_softmax, cumulative_sum
#include "autograd/ops/segments.h"    // segment_sum, segment_logsumexp, segment_log_softmax, ...
#include "autograd/ops/select.h"      // where, greater, is_negative_infinity
#include "autograd/ops/slice.h"       // slice, concat, concat_columns, repeat
#include "autograd/ops/take_rows.h"   // take_rows, take_along_rows
#include "autograd/tape/map_index.h"  // map_index
#include "autograd/tape/tape.h"       // Tape
#include "autograd/tape/tensor.h"     // Tensor, Mask, Index, Range
#include "base/error.h"               // Error, ShapeError
