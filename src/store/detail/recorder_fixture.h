// For tests: a SQLite VFS that writes everything through to the usual one and remembers it, so that the disk
// can be rebuilt as a power cut after any operation would have left it.
#pragma once

#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/seed.h"

namespace sonder::store::detail {

struct DiskOp {
  enum class Kind { write, truncate, sync, remove, mark };
  Kind kind;
  std::string file;   // "run.sonder-wal"; empty for a mark
  std::int64_t at;    // offset, new size, or the mark's number
  std::string bytes;  // of a write
  bool now = false;   // of a remove: the folder was synced too
};

// One at a time: the default VFS of this process while it lives.
class Recorder {
 public:
  Recorder() : inner_(sqlite3_vfs_find(nullptr)), shim_(*inner_) {
    ops().clear();
    shim_.zName = "recorder";
    shim_.szOsFile = static_cast<int>(sizeof(File)) + inner_->szOsFile;
    shim_.pNext = nullptr;
    shim_.xOpen = &on_open;
    shim_.xDelete = &on_delete;
    usual() = inner_;
    sqlite3_vfs_register(&shim_, 1);
  }
  ~Recorder() {
    sqlite3_vfs_unregister(&shim_);
    sqlite3_vfs_register(inner_, 1);
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void mark(std::int64_t number) { ops().push_back({DiskOp::Kind::mark, "", number, ""}); }
  const std::vector<DiskOp>& recorded() const { return ops(); }

 private:
  struct File {
    sqlite3_file base;
    sqlite3_file* inner;
    const char* name;  // SQLite keeps it until the file is closed
  };
  static std::vector<DiskOp>& ops() {
    static std::vector<DiskOp> list;
    return list;
  }
  static sqlite3_vfs*& usual() {
    static sqlite3_vfs* vfs = nullptr;
    return vfs;
  }
  static std::string short_name(const char* path) {
    const std::string whole = path == nullptr ? "" : path;
    return whole.substr(whole.rfind('/') + 1);
  }
  static File* self(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
  static sqlite3_file* in(sqlite3_file* file) { return self(file)->inner; }
  static void note(DiskOp::Kind kind, sqlite3_file* file, std::int64_t at, std::string bytes = "") {
    ops().push_back({kind, short_name(self(file)->name), at, std::move(bytes)});
  }

  static int on_open(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags, int* out) {
    File* own = self(file);
    own->inner = reinterpret_cast<sqlite3_file*>(own + 1);
    own->name = name;
    own->base.pMethods = nullptr;
    const int code = usual()->xOpen(usual(), name, own->inner, flags, out);
    if (own->inner->pMethods != nullptr) own->base.pMethods = &methods();
    return code;
  }
  static int on_delete(sqlite3_vfs* /*vfs*/, const char* name, int sync_folder) {
    ops().push_back({DiskOp::Kind::remove, short_name(name), 0, "", sync_folder != 0});
    return usual()->xDelete(usual(), name, sync_folder);
  }
  static int on_write(sqlite3_file* f, const void* data, int n, sqlite3_int64 at) {
    note(DiskOp::Kind::write, f, at,
         std::string(static_cast<const char*>(data), static_cast<std::size_t>(n)));
    return in(f)->pMethods->xWrite(in(f), data, n, at);
  }
  static int on_truncate(sqlite3_file* f, sqlite3_int64 size) {
    note(DiskOp::Kind::truncate, f, size);
    return in(f)->pMethods->xTruncate(in(f), size);
  }
  static int on_sync(sqlite3_file* f, int flags) {
    const int code = in(f)->pMethods->xSync(in(f), flags);
    note(DiskOp::Kind::sync, f, 0);
    return code;
  }
  static const sqlite3_io_methods& methods() {
    static const sqlite3_io_methods list = [] {
      sqlite3_io_methods m{};
      m.iVersion = 2;  // without memory-mapped pages
      m.xClose = [](sqlite3_file* f) { return in(f)->pMethods->xClose(in(f)); };
      m.xRead = [](sqlite3_file* f, void* to, int n, sqlite3_int64 at) {
        return in(f)->pMethods->xRead(in(f), to, n, at);
      };
      m.xWrite = &on_write;
      m.xTruncate = &on_truncate;
      m.xSync = &on_sync;
      m.xFileSize = [](sqlite3_file* f, sqlite3_int64* n) { return in(f)->pMethods->xFileSize(in(f), n); };
      m.xLock = [](sqlite3_file* f, int level) { return in(f)->pMethods->xLock(in(f), level); };
      m.xUnlock = [](sqlite3_file* f, int level) { return in(f)->pMethods->xUnlock(in(f), level); };
      m.xCheckReservedLock = [](sqlite3_file* f, int* out) {
        return in(f)->pMethods->xCheckReservedLock(in(f), out);
      };
      m.xFileControl = [](sqlite3_file* f, int op, void* arg) {
        return in(f)->pMethods->xFileControl(in(f), op, arg);
      };
      m.xSectorSize = [](sqlite3_file* f) { return in(f)->pMethods->xSectorSize(in(f)); };
      m.xDeviceCharacteristics = [](sqlite3_file* f) {
        return in(f)->pMethods->xDeviceCharacteristics(in(f));
      };
      m.xShmMap = [](sqlite3_file* f, int page, int size, int extend, void volatile** to) {
        return in(f)->pMethods->xShmMap(in(f), page, size, extend, to);
      };
      m.xShmLock = [](sqlite3_file* f, int from, int n, int flags) {
        return in(f)->pMethods->xShmLock(in(f), from, n, flags);
      };
      m.xShmBarrier = [](sqlite3_file* f) { in(f)->pMethods->xShmBarrier(in(f)); };
      m.xShmUnmap = [](sqlite3_file* f, int remove) { return in(f)->pMethods->xShmUnmap(in(f), remove); };
      return m;
    }();
    return list;
  }

  sqlite3_vfs* inner_;
  sqlite3_vfs shim_;
};

// What a disk holds after a power cut: everything synced, and of the rest whatever the drive got round to.
class Disk {
 public:
  enum class Rest { lost, kept, torn };  // of what was not synced; torn: each sector for itself, some half

  // `obeys_sync` false: a drive that says "written" and lies.
  Disk(const std::vector<DiskOp>& ops, std::size_t n_done, Rest rest, Seed seed, bool obeys_sync = true) {
    std::map<std::string, std::vector<const DiskOp*>> pending;
    std::set<std::string> named;  // files whose names are on the disk
    for (std::size_t i = 0; i < n_done; ++i) {
      const DiskOp& op = ops[i];
      if (op.kind == DiskOp::Kind::mark) continue;
      if (op.kind != DiskOp::Kind::sync) pending[op.file].push_back(&op);
      if (op.kind == DiskOp::Kind::remove) named.erase(op.file);
      if (!obeys_sync) continue;
      const bool sync = op.kind == DiskOp::Kind::sync;
      if (sync) settle(pending[op.file], pending[op.file].size());
      // SQLite's unix VFS syncs the folder with the first sync of a new journal or log: removals too are
      // kept.
      if (op.now || (sync && op.file.find('-') != std::string::npos && named.insert(op.file).second))
        for (auto& [file, waiting] : pending)
          for (std::size_t n = waiting.size(); n > 0; --n)
            if (waiting[n - 1]->kind == DiskOp::Kind::remove) {
              settle(waiting, n);
              break;
            }
    }
    Stream random(seed);
    for (const auto& [file, waiting] : pending)
      for (const DiskOp* op : waiting) {
        if (rest == Rest::kept || (rest == Rest::torn && op->kind != DiskOp::Kind::write && random.coin())) {
          apply(*op, op->bytes.size(), 0);
        } else if (rest == Rest::torn && op->kind == DiskOp::Kind::write) {
          tear(*op, random);
        } else if (op->kind == DiskOp::Kind::remove) {
          break;  // the old file is still there, so nothing reached the new one of this name
        }
      }
  }

  void write_to(const std::string& folder) const {
    for (const auto& [file, bytes] : files_)
      std::ofstream(folder + "/" + file, std::ios::binary | std::ios::trunc) << bytes;
  }

 private:
  static constexpr std::size_t kSector = 512;

  void settle(std::vector<const DiskOp*>& waiting, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) apply(*waiting[i], waiting[i]->bytes.size(), 0);
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(n));
  }

  void apply(const DiskOp& op, std::size_t n, std::size_t from) {
    if (op.kind == DiskOp::Kind::remove) {
      files_.erase(op.file);
      return;
    }
    std::string& bytes = files_[op.file];
    const auto at = static_cast<std::size_t>(op.at) + from;
    if (op.kind == DiskOp::Kind::truncate) {
      bytes.resize(at);
    } else {
      if (bytes.size() < at + n) bytes.resize(at + n);
      bytes.replace(at, n, op.bytes, from, n);
    }
  }
  void tear(const DiskOp& op, Stream& random) {
    for (std::size_t from = 0; from < op.bytes.size();) {
      const std::size_t left = kSector - (static_cast<std::size_t>(op.at) + from) % kSector;
      const std::size_t n = std::min(left, op.bytes.size() - from);
      const auto fate = random.below(5);  // 2 in 5 whole, 2 in 5 not at all, 1 in 5 a part
      if (fate < 2) apply(op, n, from);
      if (fate == 4) apply(op, random.below(n) + 1, from);
      from += n;
    }
  }

  std::map<std::string, std::string> files_;
};

}  // namespace sonder::store::detail
