# All dependencies are Debian packages; `./dev setup` installs them.

# Finds a library without a package for CMake, and makes it a target.
function(ultr_find_library target header library)
  find_path(${target}_INCLUDE ${header} REQUIRED)
  find_library(${target}_LIBRARY ${library} REQUIRED)
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
  target_link_libraries(${target} INTERFACE ${${target}_LIBRARY})
endfunction()

find_package(Eigen3 3.4 REQUIRED)
# OpenBLAS is loaded when it is first needed (kernels/openblas.cpp), from here if it is still there.
find_path(OPENBLAS_INCLUDE openblas_config.h PATH_SUFFIXES openblas-pthread openblas REQUIRED)
find_library(OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-pthread REQUIRED)
cmake_path(GET OPENBLAS_LIBRARY PARENT_PATH openblas_folder)
add_library(OpenBLAS INTERFACE)
target_include_directories(OpenBLAS SYSTEM INTERFACE ${OPENBLAS_INCLUDE})
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost 1.74 REQUIRED)  # headers only
ultr_find_library(ISA-L isa-l/igzip_lib.h isal)
if(ULTR_TESTS OR ULTR_FUZZ)
  find_package(ZLIB REQUIRED)  # makes gzip files for tests
endif()
find_package(Protobuf REQUIRED)  # before ONNX, whose targets are linked to it
find_package(ONNX REQUIRED)
find_path(XXHASH_INCLUDE xxhash.h REQUIRED)  # header only, in the system's folder
find_package(MPI QUIET COMPONENTS CXX)  # optional: training by several processes
ultr_find_library(XGBoost xgboost/c_api.h xgboost)
if(ULTR_PYTHON)  # optional: the package for Python; Debian's, whose NumPy and pandas go with it, unless another is given
  if(NOT Python_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python_EXECUTABLE /usr/bin/python3)
  endif()
  find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
  if(Python_FOUND)
    find_package(pybind11 2.10 QUIET)
  endif()
endif()
