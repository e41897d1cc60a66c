# Trains boosted trees with ultr-run, and compares the scores of their saved model in XGBoost's Python package with what
# `ultr-run predict` says. Needs a Python that has xgboost: without one it prints "skipped".
# cmake -DULTR_RUN=<program> -DSOURCE=<tests> -DFOLDER=<build folder> -P xgboost_python_test.cmake
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/made_up_lists.cmake)
find_program(PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(PYTHON)
  execute_process(COMMAND ${PYTHON} -c "import numpy, xgboost" RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
endif()
if(NOT PYTHON OR missing)
  message("skipped: no Python with numpy and xgboost")
  return()
endif()

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE failed OUTPUT_VARIABLE output
                  ERROR_VARIABLE errors)
  if(failed)
    message(FATAL_ERROR "${ARGN}: ${output}${errors}")
  endif()
  message("${output}")
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
function(value_of feature number value)
  if(feature EQUAL 6 AND number LESS -600)
    set(number nan)
  endif()
  set(${value} ${number} PARENT_SCOPE)
endfunction()
write_lists(${FOLDER}/lists.svm 6 value_of)
file(WRITE ${FOLDER}/trees.yaml
  "data: {format: feature_lists, train: lists.svm, learn_from: labels, scaling: {missing: keep}}\n"
  "loss: {type: naive, base: softmax, relevance: {type: boosted_trees, rounds: 20}}\n"
  "train: {epochs: 20}\nreport: {enabled: false}\n")
run(${ULTR_RUN} trees.yaml output=trees)
run(${ULTR_RUN} predict trees --data lists.svm --output predicted.csv)
run(${PYTHON} ${SOURCE}/xgboost_python.py trees lists.svm predicted.csv)
