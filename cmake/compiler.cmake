# ultr_warnings: every warning is an error.  ultr_machine: what the code is compiled for.
add_library(ultr_warnings INTERFACE)
target_compile_options(ultr_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
  $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion>)  # which GCC leaves out of -Wconversion
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC bug 105651 and its kin: false alarms for "x" + std::string, where precompiled headers are used.
  target_compile_options(ultr_warnings INTERFACE
    -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
endif()

add_library(ultr_machine INTERFACE)
# -ffp-contract=fast fuses a * b + c, which the vector kernels count on for their speed; the next two only
# drop errno and trap bookkeeping. Nothing here lets the compiler reorder sums: results stay reproducible.
# -fno-semantic-interposition lets functions of a library be inlined into its others. Clang, of which the
# builds are for tests, would fuse differently wherever a formula is inlined, and so round the same number
# differently in a whole register and at the end of a list: there, only what is one expression is fused.
target_compile_options(ultr_machine INTERFACE
  -ffp-contract=$<IF:$<CXX_COMPILER_ID:Clang>,on,fast>
  -fno-math-errno -fno-trapping-math -fno-semantic-interposition)
if(NOT ULTR_PORTABLE)
  target_compile_options(ultr_machine INTERFACE -march=native)
endif()

if(ULTR_SANITIZE)
  add_compile_options(-fsanitize=${ULTR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ULTR_SANITIZE})
  if(ULTR_SANITIZE MATCHES undefined)
    # Checks of pointers that take a fifth of the compilation: a null one that is used ends the program
    # anyway, and what is read beyond an object is for the address sanitizer to find.
    add_compile_options(-fno-sanitize=null,object-size,pointer-overflow,vptr)
  endif()
  if(ULTR_SANITIZE STREQUAL thread)
    add_compile_options(-fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/tests/thread_sanitizer.ignore)
  endif()
endif()
if(ULTR_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
