// SPDX-License-Identifier: Apache-2.0

#include "shim/site.hpp"

#include <bit>
#include <cerrno>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/machine/sources/kind_of_machine.hpp"

namespace espalier::shim {
namespace {

namespace fs = std::filesystem;

/// A file that is open.
class Descriptor {
public:
  explicit Descriptor(fs::path const& path)
      : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}

  ~Descriptor() {
    if (number_ >= 0) {
      close(number_);
    }
  }

  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;

  [[nodiscard]] int number() const noexcept { return number_; }

private:
  int number_;
};

/// Where this code is; empty if the dynamic linker does not know.
fs::path own_library() {
  Dl_info place{};
  if (dladdr(std::bit_cast<void*>(&read_site), &place) == 0 || place.dli_fname == nullptr) {
    return {};
  }
  std::error_code problem;
  fs::path const library = fs::canonical(place.dli_fname, problem);
  return problem ? fs::path() : library;
}

fs::path site_folder(fs::path const& library) {
  return library.parent_path() / "espalier" / "site";
}

[[noreturn]] void fail(fs::path const& path, std::string const& problem) {
  throw Error(ErrorCode::io, path.string() + ": " + problem);
}

/// Whoever may change the library may change what users run in any case.
void require_trusted(fs::path const& path, struct stat const& file, fs::path const& library) {
  if (!S_ISREG(file.st_mode)) {
    fail(path, "expected a file");
  }
  if ((file.st_mode & S_IWOTH) != 0) {
    fail(
        path,
        formatted(
            "expected a file that not everybody can write, got mode {:o}", file.st_mode & 07777
        )
    );
  }

  struct stat beside {};

  bool const is_known = stat(library.c_str(), &beside) == 0;
  bool const is_trusted =
      file.st_uid == 0 || file.st_uid == geteuid() || (is_known && file.st_uid == beside.st_uid);
  if (!is_trusted) {
    fail(
        path,
        formatted(
            "expected a file of root or of the owner of {}, got one of user {}",
            library.string(),
            file.st_uid
        )
    );
  }
}

std::string read_all(Descriptor const& file, fs::path const& path) {
  std::string text;
  std::string part(65536, '\0');
  for (;;) {
    ssize_t const size = read(file.number(), part.data(), part.size());
    if (size == 0) {
      return text;
    }
    if (size > 0) {
      text.append(part, 0, static_cast<std::size_t>(size));
    } else if (errno != EINTR) {
      fail(path, std::generic_category().message(errno));
    }
  }
}

}  // namespace

bool may_have_site() noexcept {
  try {
    fs::path const library = own_library();
    std::error_code problem;
    return !library.empty() && fs::is_directory(site_folder(library), problem);
  } catch (...) {
    return false;
  }
}

void read_site(plan::SettingsText& text, std::string const& library_version) {
  fs::path const library = own_library();
  if (library.empty() || text.memory_path == "off") {
    return;
  }
  fs::path const path = site_folder(library) / machine::learned_file_name(library_version);
  Descriptor const file(path);
  int const reason = file.number() < 0 ? errno : 0;
  bool const is_absent = reason == ENOENT || reason == ENOTDIR;
  if (is_absent || (reason == EACCES && !text.is_verbose)) {
    return;
  }
  text.site_path = path.string();
  try {
    struct stat about {};

    if (reason != 0 || fstat(file.number(), &about) != 0) {
      fail(path, std::generic_category().message(reason != 0 ? reason : errno));
    }
    require_trusted(path, about, library);
    text.site = read_all(file, path);
  } catch (Error const& error) {
    text.site_problem = error.what();
  }
}

}  // namespace espalier::shim
