// SPDX-License-Identifier: Apache-2.0

/// @file
/// Calls as the MPI library makes them.

#pragma once

#include <variant>

#include <mpi.h>

#include "espalier/plan/calls/calls.hpp"

namespace espalier::measure {

using AnyCall = std::variant<
    plan::AllgatherCall,
    plan::AllgathervCall,
    plan::AllreduceCall,
    plan::AlltoallCall,
    plan::AlltoallvCall,
    plan::AlltoallwCall,
    plan::BarrierCall,
    plan::BcastCall,
    plan::ExscanCall,
    plan::GatherCall,
    plan::GathervCall,
    plan::ReduceCall,
    plan::ReduceScatterCall,
    plan::ReduceScatterBlockCall,
    plan::ScanCall,
    plan::ScatterCall,
    plan::ScattervCall>;

/// @return MPI_SUCCESS or the code of an error.
int native(plan::AllgatherCall const& call, MPI_Comm comm) noexcept;
int native(plan::AllgathervCall const& call, MPI_Comm comm) noexcept;
int native(plan::AllreduceCall const& call, MPI_Comm comm) noexcept;
int native(plan::AlltoallCall const& call, MPI_Comm comm) noexcept;
int native(plan::AlltoallvCall const& call, MPI_Comm comm) noexcept;
int native(plan::AlltoallwCall const& call, MPI_Comm comm) noexcept;
int native(plan::BarrierCall const& call, MPI_Comm comm) noexcept;
int native(plan::BcastCall const& call, MPI_Comm comm) noexcept;
int native(plan::ExscanCall const& call, MPI_Comm comm) noexcept;
int native(plan::GatherCall const& call, MPI_Comm comm) noexcept;
int native(plan::GathervCall const& call, MPI_Comm comm) noexcept;
int native(plan::ReduceCall const& call, MPI_Comm comm) noexcept;
int native(plan::ReduceScatterCall const& call, MPI_Comm comm) noexcept;
int native(plan::ReduceScatterBlockCall const& call, MPI_Comm comm) noexcept;
int native(plan::ScanCall const& call, MPI_Comm comm) noexcept;
int native(plan::ScatterCall const& call, MPI_Comm comm) noexcept;
int native(plan::ScattervCall const& call, MPI_Comm comm) noexcept;

}  // namespace espalier::measure
