# What is embedded, the programs, the tests that span rooms, the benchmarks.
set(SONDER_WEB "$ENV{SONDER_WEB}" CACHE PATH "plot.umd.min.js and d3.min.js as ./dev setup fetched them")

if(EXISTS "${CMAKE_SOURCE_DIR}/apps/cli/main.cc")
  file(GLOB cli CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/apps/cli/*.cc")
  add_executable(sonder ${cli})
  target_link_libraries(sonder PRIVATE sonder_report sonder_study CLI11::CLI11 fmt::fmt)
  target_compile_definitions(sonder PRIVATE SONDER_VERSION="${PROJECT_VERSION}")
endif()
