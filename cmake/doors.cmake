# What is embedded, the programs, the tests that span rooms, the benchmarks.
set(SONDER_WEB "$ENV{SONDER_WEB}" CACHE PATH "plot.umd.min.js and d3.min.js as ./dev setup fetched them")

add_executable(sonder)
file(GLOB cli CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/apps/cli/*.cc")
target_sources(sonder PRIVATE ${cli})
target_link_libraries(sonder PRIVATE sonder_report sonder_study CLI11::CLI11 fmt::fmt)
target_compile_definitions(sonder PRIVATE SONDER_VERSION="${PROJECT_VERSION}" SONDER_LLAMA_BUILD="${SONDER_LLAMA_BUILD}")
foreach(part scenarios unrelated rubrics padding)
  sonder_embed(sonder bank_${part} "${CMAKE_SOURCE_DIR}/bank/${part}.jsonl")
endforeach()

# The page: its own files and the two chart libraries, inside the report room. zlib packs the replies.
find_package(ZLIB REQUIRED)
target_link_libraries(sonder_report PRIVATE ZLIB::ZLIB)
foreach(library d3 plot.umd)
  if(NOT EXISTS "${SONDER_WEB}/${library}.min.js")
    message(FATAL_ERROR "${library}.min.js was not found in '${SONDER_WEB}'. Run ./dev setup, or ./dev build, which does.")
  endif()
endforeach()
sonder_embed(sonder_report d3_js "${SONDER_WEB}/d3.min.js")
sonder_embed(sonder_report plot_js "${SONDER_WEB}/plot.umd.min.js")
sonder_embed(sonder_report page_html "${CMAKE_SOURCE_DIR}/web/page.html")
sonder_embed(sonder_report page_css "${CMAKE_SOURCE_DIR}/web/page.css")
sonder_embed(sonder_report forecast_html "${CMAKE_SOURCE_DIR}/web/forecast.html")
sonder_embed(sonder_report page_js "${CMAKE_SOURCE_DIR}/web/page.js")
foreach(part parts charts sweep tables replies)
  sonder_embed(sonder_report page_${part}_js "${CMAKE_SOURCE_DIR}/web/${part}.js")
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
  # An HTTP endpoint that misbehaves on command, for the tests of rooms that ask one: tests/net/misbehave.py.
  add_library(net_server STATIC tests/net/server.cc)
  target_include_directories(net_server PUBLIC "${CMAKE_SOURCE_DIR}/tests")
  target_link_libraries(net_server PUBLIC sonder_base sonder_json)
  target_compile_definitions(net_server PRIVATE SONDER_ROOT="${CMAKE_SOURCE_DIR}")

  sonder_goldens(8:latent 9:latent 10:latent 11:model 12:latent 13:latent 38:instrument 42:text:stats 45:study)
  # What simulates for minutes, first how often intervals hold the truth: tests named DISABLED_, only with the optimised
  # program. Their table is docs/coverage.md.
  add_test(NAME slow.stats COMMAND python3 "${CMAKE_SOURCE_DIR}/tools/coverage.py" $<TARGET_FILE:stats_test>)
  set_tests_properties(slow.stats PROPERTIES LABELS slow TIMEOUT 3600)

  file(GLOB fences CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/fences/*.cc")
  add_test(NAME fence.fences COMMAND python3 "${CMAKE_SOURCE_DIR}/tools/fence.py" "${CMAKE_CXX_COMPILER}"
                                     "${CMAKE_SOURCE_DIR}/src" ${fences})
  add_test(NAME floors.arrows COMMAND python3 "${CMAKE_SOURCE_DIR}/tools/check_floors.py")
  add_test(NAME floors.self_test COMMAND python3 "${CMAKE_SOURCE_DIR}/tools/check_floors.py" --self-test)
  set_tests_properties(fence.fences PROPERTIES LABELS fence)
  set_tests_properties(floors.arrows floors.self_test PROPERTIES LABELS floors)

  # The page in a real browser; skipped where there is none.
  add_executable(page_sample tests/page/sample.cc src/report/sample_findings_test.cc)
  target_link_libraries(page_sample PRIVATE sonder_report)
  add_test(NAME story.page COMMAND python3 "${CMAKE_SOURCE_DIR}/tests/page/page_test.py" $<TARGET_FILE:page_sample>)
  set_tests_properties(story.page PROPERTIES LABELS story TIMEOUT 300 SKIP_RETURN_CODE 77
                       ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0")
endif()

if(BUILD_TESTING)
  # Whole studies on a tiny model; see tests/stories/README.md.
  add_executable(story_test tests/stories/story_test.cc tests/stories/cells_test.cc tests/stories/planted.cc)
  target_link_libraries(story_test PRIVATE sonder_study GTest::gtest_main)
  target_compile_definitions(story_test PRIVATE SONDER_ROOT="${CMAKE_SOURCE_DIR}")
  sonder_test(stories story_test story)

  # What a study says to a broken model; see docs/faults-model.md.
  add_executable(model_faults_test tests/faults/model_faults_test.cc tests/stories/planted.cc)
  target_include_directories(model_faults_test PRIVATE "${CMAKE_SOURCE_DIR}/tests/stories")
  target_link_libraries(model_faults_test PRIVATE sonder_study GTest::gtest_main)
  sonder_test(model_faults model_faults_test story)

  # What the program says to wrong input; needs no model.
  add_test(NAME story.cli COMMAND python3 "${CMAKE_SOURCE_DIR}/tests/cli/cli_test.py" $<TARGET_FILE:sonder>)
  set_tests_properties(story.cli PROPERTIES LABELS story TIMEOUT 120)

  # Killed, stopped, changed and forked runs: on a tiny model, and (slow) on the default one.
  add_executable(tiny_writer tests/kill/tiny_writer.cc)
  target_link_libraries(tiny_writer PRIVATE sonder_model)
  add_test(NAME story.kill COMMAND python3 "${CMAKE_SOURCE_DIR}/tests/kill/kill_test.py" $<TARGET_FILE:sonder>
                                   $<TARGET_FILE:tiny_writer> 20)
  set_tests_properties(story.kill PROPERTIES LABELS story TIMEOUT 600 ENVIRONMENT "GOMP_SPINCOUNT=1000")
  add_test(NAME slow.kill_real COMMAND python3 "${CMAKE_SOURCE_DIR}/tests/kill/kill_test.py" $<TARGET_FILE:sonder> real 5)
  set_tests_properties(slow.kill_real PROPERTIES LABELS slow TIMEOUT 1800 SKIP_RETURN_CODE 77
                       ENVIRONMENT "GOMP_SPINCOUNT=1000")

  # A full disk, a lock, flipped bits: what happens to a run file. docs/faults.md
  add_test(NAME story.ledger_faults COMMAND python3 "${CMAKE_SOURCE_DIR}/tests/faults/ledger_faults.py" $<TARGET_FILE:sonder>
                                            $<TARGET_FILE:tiny_writer>)
  set_tests_properties(story.ledger_faults PROPERTIES LABELS story TIMEOUT 300 ENVIRONMENT "GOMP_SPINCOUNT=1000")

  # A study whose judge is asked over the network, at an endpoint that misbehaves.
  add_test(NAME story.endpoint COMMAND python3 "${CMAKE_SOURCE_DIR}/tests/net/run_test.py" $<TARGET_FILE:sonder>
                                       $<TARGET_FILE:tiny_writer>)
  set_tests_properties(story.endpoint PROPERTIES LABELS story TIMEOUT 300 ENVIRONMENT "GOMP_SPINCOUNT=1000")

  # Every example of docs/ prints what the page says.
  add_test(NAME story.docs COMMAND python3 "${CMAKE_SOURCE_DIR}/tests/docs/docs_test.py" $<TARGET_FILE:sonder>)
  set_tests_properties(story.docs PROPERTIES LABELS story TIMEOUT 300)
  # A cell's bits under randomised schedules: 100 on a tiny model, 5 on the default one. docs/invariance.md
  add_test(NAME story.invariance COMMAND model_test --gtest_filter=Invariance*)
  set_tests_properties(story.invariance PROPERTIES LABELS story TIMEOUT 600
                       ENVIRONMENT "SONDER_SCHEDULES=100;GOMP_SPINCOUNT=1000")
  add_test(NAME slow.invariance COMMAND model_test --gtest_filter=RealInvariance*)
  set_tests_properties(slow.invariance PROPERTIES LABELS slow TIMEOUT 1800
                       ENVIRONMENT "SONDER_MODELS=1;GOMP_SPINCOUNT=1000")

  # The default model itself: invariance, golden residuals and templates; a small study from plan to page.
  add_test(NAME model.default COMMAND model_test --gtest_brief=1 --gtest_filter=RealModel*:Golden*)
  set_tests_properties(model.default PROPERTIES LABELS model TIMEOUT 900 ENVIRONMENT "SONDER_MODELS=1;GOMP_SPINCOUNT=1000")
  add_test(NAME story.default_model COMMAND python3 "${CMAKE_SOURCE_DIR}/tests/stories/default_model.py" $<TARGET_FILE:sonder>)
  set_tests_properties(story.default_model PROPERTIES LABELS story TIMEOUT 900 SKIP_RETURN_CODE 77)
endif()

add_executable(sonder_bench bench/main.cc bench/ledger.cc bench/stats.cc src/report/sample_findings_test.cc)
target_compile_definitions(sonder_bench PRIVATE SONDER_ROOT="${CMAKE_SOURCE_DIR}")
target_link_libraries(sonder_bench PRIVATE sonder_report sonder_instrument sonder_json fmt::fmt)
