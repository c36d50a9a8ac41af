# What is embedded, the programs, the tests that span rooms, the benchmarks.
set(SONDER_WEB "$ENV{SONDER_WEB}" CACHE PATH "plot.umd.min.js and d3.min.js as ./dev setup fetched them")

add_executable(sonder)
file(GLOB cli CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/apps/cli/*.cc")
target_sources(sonder PRIVATE ${cli})
target_link_libraries(sonder PRIVATE sonder_report sonder_study CLI11::CLI11 fmt::fmt)
target_compile_definitions(sonder PRIVATE SONDER_VERSION="${PROJECT_VERSION}")
foreach(part scenarios unrelated rubrics padding)
  sonder_embed(sonder bank_${part} "${CMAKE_SOURCE_DIR}/bank/${part}.jsonl")
endforeach()

# Unit tests of every room: what the sanitizers run.
set(unit_programs base_test text_test stats_test store_test model_test latent_test instrument_test study_test
                  report_test)
add_custom_target(unit_tests)
foreach(program ${unit_programs})
  if(TARGET ${program})
    add_dependencies(unit_tests ${program})
  endif()
endforeach()

if(BUILD_TESTING)
  file(GLOB fences CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/fences/*.cc")
  add_test(NAME fence.fences COMMAND python3 "${CMAKE_SOURCE_DIR}/tools/fence.py" "${CMAKE_CXX_COMPILER}"
                                     "${CMAKE_SOURCE_DIR}/src" ${fences})
  add_test(NAME floors.arrows COMMAND python3 "${CMAKE_SOURCE_DIR}/tools/check_floors.py")
  add_test(NAME floors.self_test COMMAND python3 "${CMAKE_SOURCE_DIR}/tools/check_floors.py" --self-test)
  set_tests_properties(fence.fences PROPERTIES LABELS fence)
  set_tests_properties(floors.arrows floors.self_test PROPERTIES LABELS floors)
endif()
