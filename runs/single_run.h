#pragma once

/// One run of an experiment, step by step: a menu of what does it.
#include "experiment/resolve_options.h"  // resolve_options, saved_config
#include "runs/run_inputs.h"             // load_data, build_model
#include "runs/train_run.h"              // RunControl, train_and_evaluate
#include "training/run_files.h"          // names of the files in the folder
