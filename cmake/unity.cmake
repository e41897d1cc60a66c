# Headers are most of what there is to compile, so that sources are compiled in groups, which read them once.
set(ULTR_GROUP_KILOBYTES 0 CACHE STRING
  "About how many kilobytes of sources, of any folders, are compiled at once; 0: a few files of one folder")

# Compiles the sources of a target in groups: of up to `size` files of one folder, or of about
# ULTR_GROUP_KILOBYTES. Names in anonymous namespaces must differ in the whole target.
# Sources with options of their own stay alone.
function(ultr_compile_in_groups target size)
  get_target_property(sources ${target} SOURCES)
  if(ULTR_GROUP_KILOBYTES)
    ultr_group_by_kilobytes(${target} ${sources})
  else()
    ultr_group_by_folder(${target} ${size} ${sources})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

function(ultr_group_by_folder target size)
  foreach(source IN LISTS ARGN)
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
endfunction()

# All groups are about as large as each other.
function(ultr_group_by_kilobytes target)
  set(bytes 0)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    file(SIZE ${path} size)
    list(APPEND middles "${bytes} + ${size} / 2")
    math(EXPR bytes "${bytes} + ${size}")
  endforeach()
  math(EXPR groups "${bytes} / (1024 * ${ULTR_GROUP_KILOBYTES}) + 1")
  foreach(source middle IN ZIP_LISTS ARGN middles)
    math(EXPR group "(${middle}) * ${groups} / (${bytes} + 1)")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()
