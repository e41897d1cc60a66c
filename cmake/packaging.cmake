# `cmake --install`: the library with its headers, the program, configurations to copy, and what
# find_package(ultr) needs. Components: model_suite, the tests of a click model (needs GoogleTest).
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/ultr)

# Headers of kernels depend on the processor that the library is built for, and a few others on
# libraries that its users need not have; no other header includes them.
set(private_headers
  kernels/descending_ranks.h autograd/ops/elementwise.h autograd/ops/entry_list.h autograd/ops/groups.h
  autograd/markov/backward_pass.h autograd/markov/forward_pass.h autograd/markov/rank_pass.h
  dsl/programs/number_packs.h dsl/programs/pass_by_pairs.h dsl/programs/store_event.h kernels/bits.h kernels/log_add.h kernels/normal_distribution.h kernels/openblas.h kernels/pack.h kernels/pack_group.h kernels/sigmoid_pair.h kernels/small_table.h kernels/sum_of_logs.h kernels/vector_math.h distributed/mpi_communicator.h
  distributed/mpi_launcher.h experiment/task.h runs/data_task.h runs/analysis_report.h runs/onnx/onnx_graph.h
  data/text/byte_block.h data/text/field_index.h data/text/number_block.h
  commands/command_line.h commands/contributions.h commands/list_task.h base/log.h base/philox.h base/threads/thread_limit.h base/threads/thread_sanitizer.h
  training/process_shards.h training/intervals/interval_sums.h training/intervals/session_information.h
  data/log/parallel_shards.h metrics/bias/pair_sums.h optim/rule_optimizer.h)
foreach(folder IN ITEMS ${ULTR_ROOMS} testing)
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${folder}/*.h)
  list(REMOVE_ITEM headers ${private_headers})
  install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ultr/${folder})
endforeach()
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/ultr)

# The program finds the library wherever the two are moved together.
file(RELATIVE_PATH from_program_to_library /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set_target_properties(ultr-run PROPERTIES INSTALL_RPATH "$ORIGIN/${from_program_to_library}")
install(TARGETS ultr EXPORT ultrTargets)
foreach(instructions IN LISTS ULTR_INSTRUCTION_SETS)
  install(TARGETS ultr_${instructions} LIBRARY NAMELINK_SKIP
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/glibc-hwcaps/${instructions})
endforeach()
install(TARGETS ultr-run)
install(TARGETS model_suite EXPORT ultrModelSuiteTargets)
install(EXPORT ultrTargets NAMESPACE ultr:: DESTINATION ${package_folder})
install(EXPORT ultrModelSuiteTargets NAMESPACE ultr:: DESTINATION ${package_folder})

configure_package_config_file(cmake/ultrConfig.cmake.in ultrConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(ultrConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ultrConfig.cmake ${PROJECT_BINARY_DIR}/ultrConfigVersion.cmake
        DESTINATION ${package_folder})
