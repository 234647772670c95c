// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

#include "espalier/capi/neighbor_objects.hpp"

namespace espalier::capi {

/// @param complaint  null if nothing is wrong for the language
/// @param misuse     the class of what is wrong for MPI
/// @throws plan::ClassError if something is wrong.
void require_use(char const* complaint, int misuse);

/// Goes on on all ranks, or throws on all if something is wrong on one of them or they call
/// different functions. Collective over the neighborhood.
/// @param function  what is called
/// @param complaint, misuse  as for require_use()
/// @throws plan::ClassError, Error mpi.
void agree_on_call(
    espalier_neighborhood& self, std::string_view function, char const* complaint, int misuse
);

}  // namespace espalier::capi
