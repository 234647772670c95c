// SPDX-License-Identifier: Apache-2.0

/// @file
/// The kinds of bending. Each makes one step of a program: a call or some that the MPI standard
/// forbids or that are hard to get right, and right calls after it.

#pragma once

#include "tests/bent/program.hpp"

namespace bent {

void right(Step& step);

// bends_aliases.cpp
void own_block(Step& step);
void same_buffer(Step& step);
void overlap(Step& step);

// bends_types.cpp
void null_types(Step& step);
void empty_types(Step& step);
void mixed_types(Step& step);
void uncommitted(Step& step);
void attributes(Step& step);

// bends_sizes.cpp
void short_send(Step& step);
void long_send(Step& step);
void truncation(Step& step);

// bends_arguments.cpp
void arguments(Step& step);
void fatal(Step& step);

// bends_operators.cpp
void operators(Step& step);
void handles(Step& step);

// bends_communicators.cpp
void crowd(Step& step);
void short_lived(Step& step);
void copied_attributes(Step& step);

// bends_order.cpp
void disorder(Step& step);
void late(Step& step);

// bends_threads.cpp
void threads(Step& step);

}  // namespace bent
