// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

#include "espalier/machine/tree/link.hpp"
#include "espalier/machine/tree/speed.hpp"
#include "espalier/machine/tree/torus.hpp"

namespace espalier::machine {

/// What the brackets behind a level speak of: its link; of the nodes of a torus also the links
/// between them, of the last level also what its cores do. Null where there is nothing of the kind.
struct Bracketed {
  Link* link;
  Torus* torus = nullptr;
  Speed* speed = nullptr;
};

/// Sets what a text like `latency=1.5us,bandwidth=12.5GB/s` says; of a torus
/// `hop=50ns,link_bandwidth=5GB/s`, of cores `combine=4GB/s,copy=8GB/s`.
/// @throws Error argument for an unknown key, one given twice, or a value out of range.
void set_brackets(std::string_view text, Bracketed const& into);

/// What differs from what costs nothing; empty if nothing does. Null: nothing to say.
[[nodiscard]] std::string brackets_text(Link const& link, Torus const* torus, Speed const* speed);

}  // namespace espalier::machine
