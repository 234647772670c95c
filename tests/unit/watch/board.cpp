// SPDX-License-Identifier: Apache-2.0

#include "espalier/watch/board.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "espalier/watch/call.hpp"

namespace espalier::watch {
namespace {

bool exists(std::string const& name) {
  return access(("/dev/shm" + name).c_str(), F_OK) == 0;
}

/// A name that is gone at the end.
class Name {
public:
  Name() = default;
  Name(Name const&) = delete;
  Name& operator=(Name const&) = delete;

  ~Name() { Board::remove_name(text); }

  std::string const text = Board::draw_name();
};

TEST(Board, NamesAreDrawnAnew) {
  std::string const name = Board::draw_name();
  EXPECT_EQ(name.find("/espalier-watch-"), 0U);
  EXPECT_NE(name, Board::draw_name());
}

TEST(Board, RanksOfANodeSeeEachOther) {
  Name const name;
  Board first(name.text, 100, 3);
  Board second(name.text, 100, 99);
  ASSERT_TRUE(first.is_shared());
  ASSERT_TRUE(second.is_shared());
  Call const call(first.own(), {.name = "w"}, {.function = "MPI_Scan"});
  auto const findings = second.look_at_rank(3);
  ASSERT_TRUE(findings);
  EXPECT_STREQ(findings->calls[0].value().description.function.data(), "MPI_Scan");
  EXPECT_FALSE(first.look_at_rank(99).value().is_in_call());
}

TEST(Board, RanksOfOtherNodesAreNotThere) {
  Name const name;
  Board const board(name.text, 4, 1);
  EXPECT_TRUE(board.look_at_rank(1));
  EXPECT_FALSE(board.look_at_rank(0));
  EXPECT_FALSE(board.look_at_rank(3));
  EXPECT_FALSE(board.look_at_rank(4));
  EXPECT_FALSE(board.look_at_rank(-1));
}

TEST(Board, NeedsNoNameOnceItIsOpen) {
  Name const name;
  Board const first(name.text, 2, 0);
  Board second(name.text, 2, 1);
  ASSERT_TRUE(exists(name.text));
  Board::remove_name(name.text);
  Board::remove_name(name.text);
  EXPECT_FALSE(exists(name.text));
  EXPECT_TRUE(first.look_at_rank(1));
  second.finish();
  EXPECT_GT(first.look_at_rank(1).value().finished_since, 0);
}

TEST(Board, OtherProcessesAreSeen) {
  Name const name;
  Board const board(name.text, 2, 0);
  pid_t const child = fork();
  if (child == 0) {
    Board other(name.text, 2, 1);
    enter(*take_entry(other.own()), {.begin = 1}, Stage::native);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(board.look_at_rank(1).value().is_in_call()) << "as the process left it";
}

TEST(Board, WithoutSharedMemoryARankHasItself) {
  for (std::string const& name : {std::string(), std::string("/no/such/folder/in/dev/shm")}) {
    Board board(name, 2, 1);
    EXPECT_FALSE(board.is_shared());
    EXPECT_FALSE(board.look_at_rank(0));
    Call const call(board.own(), {}, {.function = "MPI_Scan"});
    EXPECT_TRUE(board.look_at_rank(1).value().is_in_call());
  }
}

TEST(Board, FileOfSomebodyElseIsNotUsed) {
  Name const name;
  int const file = shm_open(name.text.c_str(), O_RDWR | O_CREAT, S_IRUSR | S_IWUSR);
  ASSERT_GE(file, 0);
  if (fchown(file, 12345, 12345) == 0) {
    EXPECT_FALSE(Board(name.text, 2, 0).is_shared());
  }
  close(file);
}

TEST(Board, AFileThatWasCutSaysNothing) {
  Name const name;
  Board const board(name.text, 2, 0);
  {
    Board const other(name.text, 2, 1);
    ASSERT_TRUE(board.look_at_rank(1));
  }
  int const file = shm_open(name.text.c_str(), O_RDWR, 0);
  ASSERT_EQ(ftruncate(file, sysconf(_SC_PAGESIZE) + 100), 0);
  close(file);
  EXPECT_FALSE(board.look_at_rank(1));
}

}  // namespace
}  // namespace espalier::watch
