# The rooms of the house, from the ground up: a room includes only from itself and from rooms before it
# (tests/layout_test.cmake checks it). All sources of a room are compiled into the library ultr.
set(ULTR_ROOMS
  base/text base base/files base/threads options kernels autograd/tape autograd/ops autograd/markov autograd layers optim
  data/log data/features data/text data/formats data/tables data/columns data/simulation data
  metrics metrics/bias metrics/policies distributed dsl dsl/programs models losses report
  training/shards training training/intervals experiment runs/onnx runs/results runs sources analyses
  studies/comparison studies studies/choice commands)
# Rooms whose code runs long. The others are compiled for size, in two thirds of the time, and not optimised
# at all by the presets asan and tsan.
set(ULTR_COMPUTING_ROOMS
  base/text base base/files base/threads kernels autograd/tape autograd/ops autograd/markov autograd layers optim
  data/log data/features data/text data/formats data/tables data/columns data/simulation data
  metrics metrics/bias metrics/policies distributed dsl dsl/programs models losses training/shards training training/intervals analyses)
