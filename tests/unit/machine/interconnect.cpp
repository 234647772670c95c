// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the kernel says about the devices between nodes, and what messages are taken to cost there.

#include "espalier/machine/sources/interconnect.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::machine {
namespace {

/// A folder that stands for /sys.
class Devices : public testing::Test {
protected:
  void SetUp() override {
    auto const* const test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::path(testing::TempDir()) /
            ("espalier_devices_" + std::string(test->name()));
    std::filesystem::remove_all(root_);
  }

  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(std::string const& path, std::string const& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
  }

  void write_virtual(std::string const& name, std::string const& speed) const {
    std::string const folder = "class/net/" + name;
    write(folder + "/operstate", "up");
    write(folder + "/type", "1");
    write(folder + "/speed", speed);
  }

  void write_hardware(std::string const& name, std::string const& speed) const {
    write_virtual(name, speed);
    write("class/net/" + name + "/device/vendor", "0x8086");
  }

  void
  write_port(std::string const& port, std::string const& layer, std::string const& rate) const {
    std::string const folder = "class/infiniband/" + port;
    write(folder + "/state", "4: ACTIVE");
    write(folder + "/link_layer", layer);
    write(folder + "/rate", rate);
  }

  [[nodiscard]] std::string found() const { return find_interconnect(root_).text(); }

  std::filesystem::path root_;
};

TEST_F(Devices, AreNoneWhereNothingCanBeRead) {
  EXPECT_EQ(find_interconnect(root_), Interconnect{});
  EXPECT_EQ(found(), "no interconnect");
}

TEST_F(Devices, DoNotCountLoopbackOrWhatIsDown) {
  write("class/net/lo/operstate", "unknown");
  write("class/net/lo/type", "772");
  write_hardware("eth0", "1000");
  write("class/net/eth0/operstate", "down");
  EXPECT_EQ(found(), "no interconnect");
}

TEST_F(Devices, AreTheFastestThatIsUp) {
  write_hardware("eth0", "1000");
  write_hardware("eth1", "25000");
  write_hardware("eth2", "100000");
  write("class/net/eth2/operstate", "down");
  EXPECT_EQ(found(), "ethernet 25 Gbit/s (eth1)");
  EXPECT_DOUBLE_EQ(find_interconnect(root_).bytes_per_second, 25e9 / 8);
}

TEST_F(Devices, HaveSlowRatesInMegabits) {
  write_hardware("eth0", "100");
  EXPECT_EQ(found(), "ethernet 100 Mbit/s (eth0)");
}

TEST_F(Devices, AreVirtualOnlyIfThereIsNothingElse) {
  write_virtual("veth7", "10000");
  EXPECT_EQ(found(), "ethernet of unknown rate (veth7)");
  write_hardware("eth0", "1000");
  EXPECT_EQ(found(), "ethernet 1 Gbit/s (eth0)");
}

TEST_F(Devices, CountBondsAsHardware) {
  write_hardware("eth0", "10000");
  write_virtual("bond0", "20000");
  write("class/net/bond0/bonding/mode", "802.3ad 4");
  EXPECT_EQ(found(), "ethernet 20 Gbit/s (bond0)");
}

TEST_F(Devices, HaveNoRateThatCannotBe) {
  for (char const* const speed : {"-1", "0", "4294967295", "fast", ""}) {
    write_hardware("eth0", speed);
    EXPECT_EQ(found(), "ethernet of unknown rate (eth0)") << speed;
  }
}

TEST_F(Devices, AreInfinibandBeforeFasterEthernet) {
  write_hardware("eth0", "200000");
  write_port("mlx5_0/ports/1", "InfiniBand", "100 Gb/sec (4X EDR)");
  EXPECT_EQ(found(), "infiniband 100 Gbit/s (mlx5_0)");
  write("class/infiniband/mlx5_0/ports/1/state", "1: DOWN");
  EXPECT_EQ(found(), "ethernet 200 Gbit/s (eth0)");
}

TEST_F(Devices, TakeTheFastestPort) {
  write_port("mlx5_0/ports/1", "InfiniBand", "56 Gb/sec (4X FDR)");
  write_port("mlx5_1/ports/1", "InfiniBand", "2.5 Gb/sec (1X SDR)");
  write_port("mlx5_1/ports/2", "InfiniBand", "200 Gb/sec (4X HDR)");
  EXPECT_EQ(found(), "infiniband 200 Gbit/s (mlx5_1)");
}

TEST_F(Devices, KnowOmniPathByItsDriver) {
  write_port("hfi1_0/ports/1", "InfiniBand", "100 Gb/sec (4X EDR)");
  EXPECT_EQ(found(), "omni-path 100 Gbit/s (hfi1_0)");
}

TEST_F(Devices, CountRoceAsEthernet) {
  write_port("rocep1s0/ports/1", "Ethernet", "100 Gb/sec (4X EDR)");
  EXPECT_EQ(found(), "ethernet 100 Gbit/s (rocep1s0)");
}

TEST_F(Devices, KnowSlingshotByItsNamesAndItsDriver) {
  write("class/cxi/cxi0/device/vendor", "0x17db");
  write_hardware("eth0", "1000");
  EXPECT_EQ(found(), "slingshot of unknown rate (cxi0)");
  write_hardware("hsn0", "200000");
  EXPECT_EQ(found(), "slingshot 200 Gbit/s (hsn0)");
}

TEST(StockLink, OrdersDevicesAsTheyAre) {
  constexpr double rate = 100e9 / 8;
  Link const infiniband = stock_link({InterconnectKind::infiniband, "mlx5_0", rate});
  Link const slingshot = stock_link({InterconnectKind::slingshot, "hsn0", rate});
  Link const ethernet = stock_link({InterconnectKind::ethernet, "eth0", rate});
  EXPECT_LT(infiniband.alpha(), slingshot.alpha());
  EXPECT_LT(10 * slingshot.alpha(), ethernet.alpha());
  EXPECT_LT(infiniband.per_byte, ethernet.per_byte) << "no core copies 12.5 GB/s into sockets";
}

TEST(StockLink, IsOfTheRateOfTheDevice) {
  Link const slow = stock_link({InterconnectKind::ethernet, "eth0", 1e9 / 8});
  EXPECT_NEAR(slow.per_byte, 8e-9, 1e-9);
  EXPECT_EQ(slow.channels, 1);
  Link const hdr = stock_link({InterconnectKind::infiniband, "mlx5_0", 200e9 / 8});
  EXPECT_NEAR(hdr.per_byte, 4e-11, 1e-11);
}

TEST(StockLink, TakesWhatIsUnknownForTheUsual) {
  EXPECT_EQ(
      stock_link({InterconnectKind::ethernet, "eth0", 0}),
      stock_link({InterconnectKind::ethernet, "eth0", 10e9 / 8})
  );
  EXPECT_EQ(stock_link(Interconnect{}), stock_link({InterconnectKind::ethernet, "eth0", 0}));
}

TEST(StockLinkIfSlow, IsForDevicesWhoseRateNothingTells) {
  for (InterconnectKind const kind : {InterconnectKind::ethernet, InterconnectKind::none}) {
    auto const slow = stock_link_if_slow({kind, "eth0", 0});
    ASSERT_TRUE(slow.has_value());
    EXPECT_EQ(*slow, stock_link({kind, "eth0", 100e6 / 8}));
  }
  EXPECT_FALSE(stock_link_if_slow({InterconnectKind::ethernet, "eth0", 1e9 / 8}));
  EXPECT_FALSE(stock_link_if_slow({InterconnectKind::infiniband, "mlx5_0", 0}));
}

TEST(StockLinkWithinNode, IsFasterThanAnyDevice) {
  Link const within = stock_link_within_node(8, 8);
  EXPECT_LT(within.alpha(), stock_link({InterconnectKind::infiniband, "mlx5_0", 0}).alpha());
  EXPECT_EQ(within.shared_channels, 4);
}

TEST(StockLinkWithinNode, CostsChangesOfContextWhereRanksOutnumberProcessors) {
  Link const crowded = stock_link_within_node(8, 2);
  EXPECT_GT(crowded.alpha(), 10 * stock_link_within_node(2, 2).alpha());
  EXPECT_EQ(crowded.shared_channels, 1);
}

TEST(StockLinkWithinNode, RefusesNodesWithoutRanksOrProcessors) {
  EXPECT_THROW(static_cast<void>(stock_link_within_node(0, 2)), Error);
  EXPECT_THROW(static_cast<void>(stock_link_within_node(2, 0)), Error);
}

}  // namespace
}  // namespace espalier::machine
