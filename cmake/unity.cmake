set(ULTR_GROUP_FACTOR 1 CACHE STRING "How many times as many sources as usual are compiled at once")

# Compiles the sources of a target in groups of up to `size` of one folder: headers are most of what there
# is to compile, and a group reads them once. Names in a folder's anonymous namespaces must differ.
# Sources with options of their own stay alone.
function(ultr_compile_in_groups target size)
  math(EXPR size "${size} * ${ULTR_GROUP_FACTOR}")
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    cmake_path(GET path PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "${folder}" name)
    if(NOT DEFINED count_${name})
      set(count_${name} 0)
    endif()
    math(EXPR group "${count_${name}} / ${size}")
    math(EXPR count_${name} "${count_${name}} + 1")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target}
                                PROPERTIES UNITY_GROUP ${name}_${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# Compiles the sources of a target in groups of so many kilobytes, of any folders.
function(ultr_compile_in_groups_of_kilobytes target kilobytes)
  get_target_property(sources ${target} SOURCES)
  set(bytes 0)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    file(SIZE ${path} size)
    math(EXPR group "${bytes} / (1024 * ${kilobytes})")
    math(EXPR bytes "${bytes} + ${size}")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
