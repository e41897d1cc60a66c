#pragma once

/// The menu of autograd/: a tape that records programs of tensor ops and differentiates them.
#include "autograd/activations.h"     // relu, elu, tanh
#include "autograd/arithmetic.h"      // + - * /, exp, log, log1p, expm1, sqrt, abs, clamp, ...
#include "autograd/dropout.h"         // dropout
#include "autograd/gather.h"          // gather (sparse gradient), gather_fixed, one_hot, read, take
#include "autograd/gradient_check.h"  // check_gradient
#include "autograd/logspace.h"        // log_sigmoid, log1mexp, logaddexp, ...
#include "autograd/map_index.h"       // map_index
#include "autograd/matmul.h"          // matmul, affine, matvec
#include "autograd/pairwise.h"        // pairwise_logistic
#include "autograd/reductions.h"      // sum, mean, max, logsumexp, log_softmax, cumulative_sum
#include "autograd/segments.h"        // segment_sum, segment_logsumexp, segment_log_softmax, ...
#include "autograd/select.h"          // where, greater, is_negative_infinity
#include "autograd/slice.h"           // slice, concat, concat_columns, repeat
#include "autograd/tape.h"            // Tape
#include "autograd/tensor.h"          // Tensor, Mask, Index, Range
#include "base/error.h"               // Error, ShapeError
