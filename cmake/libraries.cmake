# Adds a part of the library: `rooms` is computing, other or matrix (CMakeLists.txt). Further arguments are
# options of the compiler.
function(ultr_add_part target rooms)
  add_library(${target} OBJECT ${${rooms}_sources})
  target_link_libraries(${target} PRIVATE ultr_parts)
  # Inline functions are hidden and calls within the library stay there, so that it runs its own copies of
  # inline functions and templates, not those of a program that was compiled with other flags.
  set_target_properties(${target} PROPERTIES VISIBILITY_INLINES_HIDDEN ON)
  ultr_compile_in_groups(${target} 8)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess> ${ARGN})  # for ccache
  if(rooms STREQUAL matrix)
    string(REPLACE _matrix_ _computing_ computing ${target})
    target_precompile_headers(${target} REUSE_FROM ${computing})
    # GCC 12 takes the undefined registers of its own AVX-512 header for a mistake of Eigen's.
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized>)
  else()
    target_precompile_headers(${target} PRIVATE cmake/precompiled.h)
  endif()
  if(rooms STREQUAL other)
    target_compile_options(${target} PRIVATE ${ULTR_OTHER_ROOMS_OPTIONS})
  endif()
endfunction()

# Makes a library of parts. Of an inline function that several have, the library takes the first part's.
function(ultr_make_library target)
  set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} LINKER_LANGUAGE CXX
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_link_options(${target} PRIVATE -Wl,-Bsymbolic-functions)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:ultr_parts>)
  foreach(part IN LISTS ARGN)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${part}>)
  endforeach()
endfunction()
