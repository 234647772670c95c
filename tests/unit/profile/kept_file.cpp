// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/kept_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

#include <gtest/gtest.h>

namespace espalier::profile {
namespace {

namespace fs = std::filesystem;

class KeptFile : public testing::Test {
public:
  KeptFile(KeptFile const&) = delete;
  KeptFile& operator=(KeptFile const&) = delete;
  KeptFile(KeptFile&&) = delete;
  KeptFile& operator=(KeptFile&&) = delete;

protected:
  KeptFile() : mask_(umask(022)) {
    std::string folder = (fs::temp_directory_path() / "kept_file_XXXXXX").string();
    folder_ = mkdtemp(folder.data());
    path_ = (folder_ / "memory.json").string();
  }

  ~KeptFile() override {
    umask(mask_);
    fs::remove_all(folder_);
  }

  void write(mode_t mode) const {
    std::ofstream(path_) << "before";
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
  }

  void change() const {
    change_kept_file(path_, [](std::string const& before) { return before + ", after"; });
  }

  [[nodiscard]] struct stat found() const {
    struct stat about {};

    EXPECT_EQ(stat(path_.c_str(), &about), 0);
    return about;
  }

  [[nodiscard]] mode_t mode() const { return found().st_mode & 07777U; }

  [[nodiscard]] std::string const& path() const { return path_; }

private:
  mode_t mask_;
  fs::path folder_;
  std::string path_;
};

TEST_F(KeptFile, KeepsItsPermissions) {
  for (mode_t const mode : {0600U, 0660U, 0640U, 0664U}) {
    write(mode);
    change();
    EXPECT_EQ(this->mode(), mode);
    EXPECT_EQ(kept_text(path()), "before, after");
    ASSERT_TRUE(fs::remove(path()));
  }
}

TEST_F(KeptFile, KeepsItsGroup) {
  constexpr gid_t other = 54321;
  write(0660);
  if (chown(path().c_str(), static_cast<uid_t>(-1), other) != 0) {
    GTEST_SKIP() << "this user has one group only";
  }
  change();
  EXPECT_EQ(found().st_gid, other);
  EXPECT_EQ(mode(), 0660U);
}

TEST_F(KeptFile, HasTheUsualPermissionsIfItIsNew) {
  change();
  EXPECT_EQ(mode(), 0644U);
  EXPECT_EQ(kept_text(path()), ", after");
}

}  // namespace
}  // namespace espalier::profile
