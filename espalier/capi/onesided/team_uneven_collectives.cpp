// SPDX-License-Identifier: Apache-2.0

/// @file
/// The collectives of espalier_onesided.h whose blocks have different sizes.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "espalier/capi/agreement.hpp"
#include "espalier/capi/arguments.hpp"
#include "espalier/capi/onesided/request_planning.hpp"
#include "espalier/capi/onesided/team_buffers.hpp"
#include "espalier/capi/onesided/team_exchange.hpp"
#include "espalier/capi/onesided/team_gather.hpp"
#include "espalier/capi/onesided/team_object.hpp"
#include "espalier/capi/onesided/team_options.hpp"
#include "espalier/capi/onesided/uneven_blocks.hpp"

namespace {

using espalier::capi::BlockRuns;
using espalier::capi::TeamCall;
using espalier::capi::TeamOptions;
using espalier::capi::UnevenBlocks;
using espalier::schedule::Collective;

/// Lists as a program gives them; displacements may be null.
struct Lists {
  int const* counts;
  int const* displacements;

  [[nodiscard]] BlockRuns checked(espalier_team const& team, char const* buffer) const {
    return {counts, displacements, team.team.num_ranks(), buffer};
  }
};

std::shared_ptr<UnevenBlocks const>
blocks_of(espalier_team const& team, Lists lists, bool is_scatter) {
  BlockRuns parts = lists.checked(team, is_scatter ? "sendbuf" : "recvbuf");
  if (!is_scatter) {
    parts.check_disjoint("recvbuf");
  }
  UnevenBlocks blocks;
  blocks.parts.push_back(std::move(parts));
  return std::make_shared<UnevenBlocks const>(std::move(blocks));
}

/// A collective with the same lists on all members.
int make_request(
    espalier_team* team,
    TeamCall call,
    Lists lists,
    espalier_onesided_options const* given,
    espalier_request** request
) noexcept {
  return espalier::capi::on(team, [&](espalier_team& self) {
    auto const with_blocks = [&] {
      call.blocks = blocks_of(self, lists, call.collective == Collective::scatter);
      return call;
    };
    espalier::capi::plan_request(self, with_blocks, given, request);
  });
}

/// What a member says of its blocks in an alltoall.
struct OwnBlocks {
  BlockRuns input;
  BlockRuns output;

  [[nodiscard]] std::vector<int> numbers() const {
    std::vector<int> result;
    for (BlockRuns const* const runs : {&input, &output}) {
      result.insert(result.end(), runs->counts().begin(), runs->counts().end());
      result.insert(result.end(), runs->displacements().begin(), runs->displacements().end());
    }
    return result;
  }
};

/// Members tell each other what they have checked.
std::shared_ptr<UnevenBlocks const> blocks_of_all(espalier_team& team, OwnBlocks const& own) {
  std::vector<int> const all = espalier::capi::numbers_of_all(team, own.numbers());
  auto const p = static_cast<std::size_t>(team.team.num_ranks());
  UnevenBlocks blocks;
  for (std::size_t rank = 0; rank < p; ++rank) {
    std::span<int const> const told = std::span(all).subspan(rank * 4 * p, 4 * p);
    blocks.inputs.emplace_back(told.subspan(0, p), told.subspan(p, p));
    blocks.outputs.emplace_back(told.subspan(2 * p, p), told.subspan(3 * p, p));
  }
  check_matches(blocks);
  return std::make_shared<UnevenBlocks const>(std::move(blocks));
}

/// All that is equal on all members but for the lists.
espalier::capi::Fingerprint
fingerprint(TeamOptions const& options, espalier::capi::TeamElements const& elements) {
  espalier::capi::Fingerprint result;
  result.add(to_string(options.mode));
  result.add(std::string(to_string(options.addresses)));
  result.add(std::string(options.tells_places ? "told" : ""));
  result.add(options.algorithm);
  result.add(options.mechanism ? std::string(to_string(*options.mechanism)) : "");
  result.add(std::to_string(elements.extent_bytes));
  return result;
}

}  // namespace

extern "C" {

// NOLINTNEXTLINE(readability-function-size): as programs call it
int espalier_team_scatterv_init(
    void const* sendbuf,
    int const counts[],
    int const displs[],
    void* recvbuf,
    MPI_Datatype datatype,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  TeamCall const call{
      .collective = Collective::scatter,
      .sendbuf = sendbuf,
      .recvbuf = recvbuf,
      .datatype = datatype,
      .root = root,
  };
  return make_request(team, call, {counts, displs}, options, request);
}

// NOLINTNEXTLINE(readability-function-size): as programs call it
int espalier_team_gatherv_init(
    void const* sendbuf,
    void* recvbuf,
    int const counts[],
    int const displs[],
    MPI_Datatype datatype,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  TeamCall const call{
      .collective = Collective::gather,
      .sendbuf = sendbuf,
      .recvbuf = recvbuf,
      .datatype = datatype,
      .root = root,
  };
  return make_request(team, call, {counts, displs}, options, request);
}

// NOLINTNEXTLINE(readability-function-size): as programs call it
int espalier_team_allgatherv_init(
    void const* sendbuf,
    void* recvbuf,
    int const counts[],
    int const displs[],
    MPI_Datatype datatype,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  TeamCall const call{
      .collective = Collective::allgather,
      .sendbuf = sendbuf,
      .recvbuf = recvbuf,
      .datatype = datatype,
  };
  return make_request(team, call, {counts, displs}, options, request);
}

// NOLINTNEXTLINE(readability-function-size): as programs call it
int espalier_team_alltoallv_init(
    void const* sendbuf,
    int const sendcounts[],
    int const sdispls[],
    void* recvbuf,
    int const recvcounts[],
    int const rdispls[],
    MPI_Datatype datatype,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  return espalier::capi::on(team, [&](espalier_team& self) {
    TeamCall call{
        .collective = Collective::alltoall,
        .sendbuf = sendbuf,
        .recvbuf = recvbuf,
        .datatype = datatype,
    };
    TeamOptions plan_options;
    std::optional<OwnBlocks> own;
    espalier::capi::TeamExchange exchange(self);
    espalier::capi::agree(
        [&](espalier::capi::TeamExchange::Words words) { exchange.take_largest(words); },
        [&] {
          espalier::capi::check_pointer(reinterpret_cast<void const*>(request), "request");
          *request = nullptr;
          plan_options = espalier::capi::read(options);
          own.emplace(OwnBlocks{
              Lists{sendcounts, sdispls}.checked(self, "sendbuf"),
              Lists{recvcounts, rdispls}.checked(self, "recvbuf"),
          });
          own->output.check_disjoint("recvbuf");
          return fingerprint(plan_options, check(call, self.team.num_ranks()));
        }
    );
    call.blocks = blocks_of_all(self, *own);
    if (espalier::capi::are_together(self, options)) {
      *request = espalier::capi::plan_together(self, [&] { return call; }, options).release();
      return;
    }
    // Where blocks are is known only now; a wrong buffer is an error on all members, too.
    espalier::capi::agree(
        [&](espalier::capi::TeamExchange::Words words) { exchange.take_largest(words); },
        [&] {
          auto const elements = check(call, self.team.num_ranks());
          static_cast<void>(espalier::capi::buffers_of(self, call, elements, plan_options.addresses)
          );
          return fingerprint(plan_options, elements);
        }
    );
    *request = plan_request(self, call, plan_options).release();
  });
}

}  // extern "C"
