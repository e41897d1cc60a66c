# All dependencies are Debian packages; `./dev setup` installs them.
find_package(Eigen3 3.4 REQUIRED)
# The package's own configuration asks for OpenCL, which is not used here.
find_path(DNNL_INCLUDE dnnl.h REQUIRED)
find_library(DNNL_LIBRARY dnnl REQUIRED)
add_library(oneDNN INTERFACE)
target_include_directories(oneDNN SYSTEM INTERFACE ${DNNL_INCLUDE})
target_link_libraries(oneDNN INTERFACE ${DNNL_LIBRARY} gomp)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost 1.74 REQUIRED)  # headers only
find_package(ZLIB REQUIRED)
find_package(Protobuf REQUIRED)  # before ONNX, whose targets are linked to it
find_package(ONNX REQUIRED)
find_path(XXHASH_INCLUDE xxhash.h REQUIRED)  # header only, in the system's folder
find_package(MPI QUIET COMPONENTS CXX)  # optional: training by several processes
find_path(XGBOOST_INCLUDE xgboost/c_api.h REQUIRED)
find_library(XGBOOST_LIBRARY xgboost REQUIRED)
add_library(XGBoost INTERFACE)
target_include_directories(XGBoost SYSTEM INTERFACE ${XGBOOST_INCLUDE})
target_link_libraries(XGBoost INTERFACE ${XGBOOST_LIBRARY})
