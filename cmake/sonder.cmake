# Rooms, tests and doors. The list of rooms is in the top CMakeLists.txt; tools/check_floors.py compares it with every
# include.
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
include(CTest)
include(third_party)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(SONDER_WARNINGS_AS_ERRORS "with any compiler; with CI's own they are errors always" OFF)
option(SONDER_SANITIZE "address and undefined-behaviour sanitizers" OFF)
add_compile_options(-Wall -Wextra -Wshadow -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-restrict) # g++ 12 sees an overlap in std::string + that is not there
endif()
# With CI's compiler in every preset, so that `./dev check` holds programs, stories and benchmarks to it too and compiles
# nothing twice. Another compiler may warn of more than we know, and that must stop nobody's study.
if(SONDER_WARNINGS_AS_ERRORS
   OR (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.2\\."))
  add_compile_options(-Werror)
endif()
if(SONDER_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# sonder_room(name USES rooms…): a static library from src/<name>/**.cc, and its unit tests from *_test.cc.
function(sonder_room name)
  cmake_parse_arguments(ROOM "" "" "USES" ${ARGN})
  set(folder "${CMAKE_SOURCE_DIR}/src/${name}")
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cc" "${folder}/detail/*.cc")
  file(GLOB headers CONFIGURE_DEPENDS "${folder}/*.h")
  file(GLOB tests CONFIGURE_DEPENDS "${folder}/*_test.cc" "${folder}/detail/*_test.cc")
  list(REMOVE_ITEM sources ${tests} "")

  if(sources)
    add_library(sonder_${name} STATIC ${sources})
    set(reach PUBLIC)
  else()
    add_library(sonder_${name} INTERFACE)
    set(reach INTERFACE)
  endif()
  target_include_directories(sonder_${name} ${reach} "${CMAKE_SOURCE_DIR}/src")
  foreach(used IN LISTS ROOM_USES)
    target_link_libraries(sonder_${name} ${reach} sonder_${used})
  endforeach()
  target_link_libraries(sonder_${name} ${reach} ${SONDER_PARTS_${name}})
  if(headers)  # each header must compile alone: target all_verify_interface_header_sets
    target_sources(sonder_${name} ${reach} FILE_SET HEADERS BASE_DIRS "${CMAKE_SOURCE_DIR}/src" FILES ${headers})
    set_target_properties(sonder_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  endif()

  file(GLOB lists CONFIGURE_DEPENDS "${folder}/lists/*.txt")
  foreach(list IN LISTS lists)  # word lists: sonder::embedded::<room>_<file>
    get_filename_component(stem "${list}" NAME_WE)
    sonder_embed(sonder_${name} ${name}_${stem} "${list}")
  endforeach()

  if(tests AND BUILD_TESTING)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE sonder_${name} GTest::gtest_main ${SONDER_TEST_PARTS_${name}})
    target_compile_definitions(${name}_test PRIVATE SONDER_ROOT="${CMAKE_SOURCE_DIR}")
    sonder_test(${name} ${name}_test unit)
  endif()
endfunction()

# One ctest entry for a whole test program: fast to start, and gtest prints which test failed. Two frames are kept of each
# allocation: RapidCheck's calls make so many different stacks that keeping thirty is a third of the time. A program
# started by hand keeps them all.
function(sonder_test name program label)
  add_test(NAME ${label}.${name} COMMAND ${program} --gtest_brief=1)
  set_tests_properties(${label}.${name} PROPERTIES LABELS ${label} TIMEOUT 900
                       ENVIRONMENT "GOMP_SPINCOUNT=1000;UBSAN_OPTIONS=print_stacktrace=1;ASAN_OPTIONS=detect_leaks=0:malloc_context_size=2")
endfunction()

# golden.M01 … golden.M46: one ctest entry for each golden number of methods.md 10, in the room that computes it.
# `ctest -L golden -N` lists them. A number without a test, which gtest would pass over in silence, fails.
function(sonder_goldens)
  foreach(number RANGE 1 46)
    set(rooms stats)
    foreach(elsewhere ${ARGN})  # NUMBER:ROOM[:ROOM]
      if(elsewhere MATCHES "^${number}:(.+)$")
        string(REPLACE ":" ";" rooms "${CMAKE_MATCH_1}")
      endif()
    endforeach()
    set(name M${number})
    if(number LESS 10)
      set(name M0${number})
    endif()
    set(commands "")
    foreach(room IN LISTS rooms)
      list(APPEND commands "$<TARGET_FILE:${room}_test> --gtest_filter=Golden.${name}_*")
    endforeach()
    list(JOIN commands " && " command)
    add_test(NAME golden.${name} COMMAND sh -c "${command}")
    set_tests_properties(golden.${name} PROPERTIES LABELS golden TIMEOUT 300 ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0"
                         FAIL_REGULAR_EXPRESSION "Running 0 tests")
  endforeach()
endfunction()

# A text file becomes a C++ string: embedded(target NAMESPACE::name file).
function(sonder_embed target symbol file)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/embed/${symbol}.cc")
  add_custom_command(
    OUTPUT "${out}"
    COMMAND python3 "${CMAKE_SOURCE_DIR}/tools/embed.py" "${symbol}" "${file}" "${out}"
    DEPENDS "${file}" "${CMAKE_SOURCE_DIR}/tools/embed.py"
    VERBATIM)
  target_sources(${target} PRIVATE "${out}")
endfunction()

function(sonder_doors)
  include(doors)
endfunction()
