# Every part that is not ours: its pin, and the one reason for having it. `./dev setup` fetches and verifies them.
#
# llama.cpp v0.5.0      inference; source inside the llama-cpp-python 0.3.36 sdist, sha256 in `dev`
# nlohmann/json 3.12.0  JSON; llama.cpp's vendored copy, so that one binary holds one version
# Eigen 3.4             linear algebra                       (Debian libeigen3-dev)
# Boost.Math 1.74       distributions                        (Debian libboost-dev)
# SQLite 3.40           the ledger                           (Debian libsqlite3-dev)
# yaml-cpp 0.7          plans                                (Debian libyaml-cpp-dev)
# ICU 72                word and sentence boundaries         (Debian libicu-dev)
# OpenSSL 3.0           SHA-256                              (Debian libssl-dev)
# libzip 1.7            model packages are zip files         (Debian libzip-dev)
# libcurl 7.88          judges behind an HTTP endpoint       (Debian libcurl4-openssl-dev)
# fmt 9                 numbers in sentences                 (Debian libfmt-dev)
# CLI11 2.3             the command line                     (Debian libcli11-dev)
# zlib 1.2               replies inside the page              (Debian zlib1g-dev)
# GoogleTest 1.12, Google Benchmark 1.7                      tests and benchmarks
# RapidCheck (2020)     properties of random inputs, shrunk on failure (Debian librapidcheck-dev)
# Observable Plot 0.6.17, d3 7.9.0   the page's charts; npm tarballs, sha256 in `dev`

set(SONDER_LLAMA_VERSION "v0.5.0")
set(SONDER_LLAMA "$ENV{SONDER_LLAMA}" CACHE PATH "llama.cpp as ./dev setup built it: src/ and build/")
if(NOT EXISTS "${SONDER_LLAMA}/build/src/libllama.a")
  message(FATAL_ERROR "llama.cpp was not found in '${SONDER_LLAMA}'. Run ./dev setup, or ./dev build, which does.")
endif()

get_filename_component(_llama_folder "${SONDER_LLAMA}" NAME)  # llama.cpp-<hash of its source>
string(REPLACE "llama.cpp-" "" _llama_hash "${_llama_folder}")
set(SONDER_LLAMA_BUILD "${SONDER_LLAMA_VERSION} (${_llama_hash})")

find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
add_compile_definitions(EIGEN_DONT_PARALLELIZE)  # llama.cpp brings OpenMP in; threads are started by doors only
find_package(Boost 1.74 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ICU REQUIRED IMPORTED_TARGET icu-uc icu-i18n)
pkg_check_modules(ZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl)

add_library(sonder_json INTERFACE)
target_include_directories(sonder_json SYSTEM INTERFACE "${SONDER_LLAMA}/src/vendor")

add_library(sonder_llama INTERFACE)
target_include_directories(sonder_llama SYSTEM INTERFACE "${SONDER_LLAMA}/src/include" "${SONDER_LLAMA}/src/ggml/include"
                                                         "${SONDER_LLAMA}/src/common" "${SONDER_LLAMA}/src/vendor")
set(_llama_libs common/libllama-common.a common/libllama-common-base.a src/libllama.a vendor/cpp-httplib/libcpp-httplib.a
                ggml/src/libggml.a ggml/src/libggml-cpu.a ggml/src/libggml-base.a)
list(TRANSFORM _llama_libs PREPEND "${SONDER_LLAMA}/build/")
foreach(lib IN LISTS _llama_libs)
  if(EXISTS "${lib}")
    list(APPEND _llama_found "${lib}")
  endif()
endforeach()
target_link_libraries(sonder_llama INTERFACE -Wl,--start-group ${_llama_found} -Wl,--end-group OpenMP::OpenMP_CXX
                                             Threads::Threads ${CMAKE_DL_LIBS})

# Which room may see which part. Third-party headers appear in .cc files and detail/ only.
set(SONDER_PARTS_base OpenSSL::Crypto Boost::headers fmt::fmt)
set(SONDER_PARTS_text PkgConfig::ICU)
set(SONDER_PARTS_stats Eigen3::Eigen Boost::headers)
set(SONDER_TEST_PARTS_stats rapidcheck)
set(SONDER_PARTS_store SQLite::SQLite3 yaml-cpp sonder_json)
set(SONDER_TEST_PARTS_model net_server)
set(SONDER_TEST_PARTS_instrument net_server)
set(SONDER_PARTS_model sonder_llama PkgConfig::ZIP PkgConfig::CURL)
set(SONDER_PARTS_latent Eigen3::Eigen sonder_json sonder_llama)
set(SONDER_PARTS_instrument Eigen3::Eigen fmt::fmt sonder_json)
set(SONDER_PARTS_study sonder_json fmt::fmt)
set(SONDER_PARTS_report sonder_json)
