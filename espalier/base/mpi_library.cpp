// SPDX-License-Identifier: Apache-2.0

#include "espalier/base/mpi_library.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace espalier {
namespace {

/// What the text of a version begins with, and the major versions that were tested.
struct Product {
  std::string_view begin;
  std::string_view family;
  std::string_view title;
  int first_major;
  int last_major;
};

constexpr std::string_view standard_family = "abi";
constexpr int any_major = std::numeric_limits<int>::max();

/// docs/reference/mpi_libraries.md says what was run with each.
constexpr std::array products{
    Product{"Open MPI v", "openmpi", "Open MPI 4 or 5", 4, 5},
    Product{"MPICH ", "mpich", "MPICH 4 or 5", 4, 5},
    Product{"Intel(R) MPI Library ", "mpich", "Intel MPI 2021", 2021, 2021},
    Product{"SMPI", "smpi", "SMPI", 0, any_major},
};

Product const* product_of(std::string_view version) {
  auto const* const found = std::ranges::find_if(products, [&](Product const& product) {
    return version.starts_with(product.begin);
  });
  return found == products.end() ? nullptr : found;
}

bool is_standard(std::string_view file) {
  return file.substr(file.rfind('/') + 1).starts_with("libmpi_abi.so");
}

bool is_tested(Product const& product, std::string_view version) {
  std::string_view const digits = version.substr(std::min(version.size(), product.begin.size()));
  int major = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), major);
  return product.first_major <= major && major <= product.last_major;
}

}  // namespace

std::string short_version(std::string_view text) {
  std::string_view const line = text.substr(0, text.find_first_of(",\n"));
  std::string_view constexpr label = "MPICH Version:";
  if (line.starts_with(label)) {
    std::size_t const begin = line.find_first_not_of(" \t", label.size());
    return "MPICH " + std::string(line.substr(std::min(line.size(), begin)));
  }
  return std::string(line);
}

std::string_view family_of(std::string_view version) {
  Product const* const product = product_of(version);
  return product == nullptr ? std::string_view() : product->family;
}

std::string why_native(MpiLibrary const& library, std::string_view family) {
  std::string const found = "found '" + library.version + "'";
  std::string const native = " (all calls are handed over to it)";
  if (family != standard_family && is_standard(library.file)) {
    return "expected a program that uses " + std::string(family) + ", " + found +
           " by the standard ABI of MPI-5 (" + library.file + "); preload libespalier-abi.so" +
           native;
  }
  if (family == standard_family && !is_standard(library.file)) {
    return "expected a program that uses the standard ABI of MPI-5, " + found +
           " by an interface of its own (" + library.file + "); preload the library for that MPI" +
           native;
  }
  Product const* const product = product_of(library.version);
  if (product == nullptr || (product->family != family && family != standard_family)) {
    return "expected a program that uses " + std::string(family) + ", " + found +
           "; preload the library for that MPI" + native;
  }
  if (!is_tested(*product, library.version)) {
    return "expected " + std::string(product->title) + ", " + found +
           "; Espalier was never tested with this version" + native;
  }
  return "";
}

}  // namespace espalier
