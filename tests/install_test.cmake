# Installs the package into an empty folder, builds examples/ against it, runs its tests, and trains its
# model from a program of its own and from a plugin, which must learn the same; checks its loss.
#   cmake -DBUILD=<build folder> -DSOURCE=<repository> -DFOLDER=<scratch> -DCXX=<compiler>
#         -DFLAGS=<compiler flags> -P install_test.cmake
cmake_minimum_required(VERSION 3.25)
set(prefix ${FOLDER}/prefix)
set(headers_folder ${prefix}/include/ultr)

function(run)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The program must end with the exit code and one line that matches.
function(expect_error code line)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE result
                  OUTPUT_VARIABLE output ERROR_VARIABLE error)
  if(NOT (result EQUAL code AND output STREQUAL "" AND error MATCHES "^error: [^\n]*${line}[^\n]*\n$"))
    message(FATAL_ERROR "${ARGN}: exit code ${result}, printed '${output}' and '${error}'; "
                        "expected exit code ${code} and a line with '${line}'")
  endif()
endfunction()

# The rows of metrics.csv without the columns of times.
function(read_metrics file result)
  file(STRINGS ${file} rows)
  list(GET rows 0 header)
  string(REPLACE "," ";" names "${header}")
  set(timed)
  foreach(name seconds sessions_per_second)
    list(FIND names ${name} column)
    if(column EQUAL -1)
      message(FATAL_ERROR "${file}: has no column ${name}: ${header}")
    endif()
    list(APPEND timed ${column})
  endforeach()
  set(all "")
  foreach(row IN LISTS rows)
    string(REPLACE "," ";" fields "${row}")
    list(REMOVE_AT fields ${timed})
    string(APPEND all "${fields}\n")
  endforeach()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

# Installed headers need no others, and none has a type whose size or alignment depends on the
# processor that is compiled for.
file(GLOB_RECURSE headers RELATIVE ${headers_folder} ${headers_folder}/*.h)
set(all_headers "")
foreach(header IN LISTS headers)
  string(APPEND all_headers "#include \"${header}\"\n")
  file(STRINGS ${headers_folder}/${header} aligned REGEX "alignas *\\([^0-9]|vector_size|immintrin|Eigen/")
  if(aligned)
    message(FATAL_ERROR "${header} is installed, but has ${aligned}")
  endif()
endforeach()
file(WRITE ${FOLDER}/all_headers.cpp "${all_headers}")
run(${CXX} -std=c++20 -fsyntax-only -I ${headers_folder} all_headers.cpp)

# Compiled for any processor, while the library may be for this machine's.
run(${CMAKE_COMMAND} -S ${SOURCE}/examples -B examples -G Ninja -DCMAKE_BUILD_TYPE=Debug
    -DCMAKE_CXX_COMPILER=${CXX} "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build examples)
run(${CMAKE_CTEST_COMMAND} --test-dir examples --output-on-failure --no-tests=error)

set(config ${SOURCE}/examples/trust_pbm.yaml)
set(ultr_run ${prefix}/bin/ultr-run)
set(short data.sessions=2000 data.valid_sessions=500 data.test_sessions=500 train.epochs=2)
run(examples/trust_pbm ${config} ${short} output=own)
run(${ultr_run} --plugin examples/libtrust.so ${config} ${short} output=plugin)
# The run's configuration names the plugin and runs again, if the user trusts it.
run(${ultr_run} plugin/config.yaml --trust output=again)
read_metrics(${FOLDER}/own/metrics.csv own)
foreach(other plugin again)
  read_metrics(${FOLDER}/${other}/metrics.csv metrics)
  if(NOT metrics STREQUAL own)
    message(FATAL_ERROR "metrics.csv of own and ${other} differ:\n${own}${metrics}")
  endif()
endforeach()
run(${ultr_run} --plugin examples/libtrust.so ${config} ${short} --check-gradients)
run(${ultr_run} --plugin examples/libfocal.so ${SOURCE}/examples/focal_loss.yaml --check-gradients)

expect_error(2 "model.type is 'trust_pbm'; expected one of" ${ultr_run} ${config} data.user=pbm)
expect_error(2 "there is a model 'trust_pbm' already"
             examples/trust_pbm --plugin examples/libtrust.so ${config})
