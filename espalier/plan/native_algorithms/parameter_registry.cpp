// SPDX-License-Identifier: Apache-2.0

/// @file
/// Open MPI keeps the parameters of its components in a registry, of which MPI_T is one reader and
/// `ompi_info` another. What is used here are functions of its library libopen-pal, the same in
/// Open MPI 4 and 5: numbers are read and written as MPI_T does, and the rest is taken from the
/// lines that `ompi_info --parsable` prints.

#include <charconv>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <string_view>
#include <utility>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/plan/native_algorithms/variable_source.hpp"

namespace espalier::plan {
namespace {

constexpr int success = 0;         // OPAL_SUCCESS
constexpr int set_by_program = 4;  // MCA_BASE_VAR_SOURCE_SET
constexpr int parsable = 1;        // MCA_BASE_VAR_DUMP_PARSABLE

struct Functions {
  int (*find)(char const* name, int* index) = nullptr;
  int (*get)(int index, void const** storage, int* source, char const** file) = nullptr;
  int (*set)(int index, void const* value, std::size_t size, int source, char const*) = nullptr;
  int (*dump)(int index, char*** lines, int format) = nullptr;
};

template <typename Function> void look_up(char const* name, Function*& function) noexcept {
  function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// Lines `mca:coll:tuned:param:<name>:<key>:<value>` of one parameter.
struct Lines {
  std::string type;
  ControlVariable::Description description;
};

/// `3:ring`; nothing if it is something else.
void add_value(std::string_view text, std::vector<ControlVariable::Value>& values) {
  int number = 0;
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  auto const length = static_cast<std::size_t>(end - text.data());
  if (problem == std::errc() && length < text.size() && text[length] == ':') {
    values.push_back({.name = std::string(text.substr(length + 1)), .number = number});
  }
}

void add_line(std::string_view line, std::string const& name, Lines& lines) {
  std::string const start = ":param:" + name + ":";
  std::size_t const place = line.find(start);
  if (place == std::string_view::npos) {
    return;
  }
  std::string_view const rest = line.substr(place + start.size());
  auto const value_of = [&](std::string_view key) {
    return rest.starts_with(key) ? rest.substr(key.size()) : std::string_view();
  };
  if (auto const type = value_of("type:"); !type.empty()) {
    lines.type = type;
  } else if (auto const help = value_of("help:"); !help.empty()) {
    lines.description.text = help;
  } else if (auto const status = value_of("status:"); !status.empty()) {
    lines.description.is_writable = status.starts_with("writ");
  } else if (auto const value = value_of("enumerator:value:"); !value.empty()) {
    add_value(value, lines.description.values);
  }
}

class RegisteredNumber final : public VariableStorage {
public:
  RegisteredNumber(Functions const& functions, std::string name, int index, bool is_truth)
      : functions_(functions), name_(std::move(name)), index_(index), is_truth_(is_truth) {}

  [[nodiscard]] int read() const override {
    void const* storage = nullptr;
    require(functions_.get(index_, &storage, nullptr, nullptr));
    if (is_truth_) {
      return *static_cast<bool const*>(storage) ? 1 : 0;
    }
    return *static_cast<int const*>(storage);
  }

  void write(int number) const override {
    bool const truth = number != 0;
    void const* const value = is_truth_ ? static_cast<void const*>(&truth) : &number;
    std::size_t const size = is_truth_ ? sizeof truth : sizeof number;
    require(functions_.set(index_, value, size, set_by_program, nullptr));
  }

private:
  void require(int code) const {
    if (code != success) {
      throw Error(
          ErrorCode::mpi,
          name_ + ": expected OPAL_SUCCESS, got code " + std::to_string(code) + " of Open MPI"
      );
    }
  }

  Functions functions_;
  std::string name_;
  int index_;
  bool is_truth_;
};

class Registry final : public VariableSource {
public:
  explicit Registry(Functions const& functions) : functions_(functions) {}

  [[nodiscard]] std::optional<ControlVariable> find(std::string const& name) override {
    int index = 0;
    if (functions_.find(name.c_str(), &index) != success) {
      return std::nullopt;
    }
    Lines lines = lines_of(index, name);
    bool const is_truth = lines.type == "bool";
    if (!is_truth && lines.type != "int" && lines.type != "unsigned_int") {
      return std::nullopt;
    }
    return ControlVariable(
        name,
        std::move(lines.description),
        std::make_unique<RegisteredNumber const>(functions_, name, index, is_truth)
    );
  }

private:
  [[nodiscard]] Lines lines_of(int index, std::string const& name) const {
    Lines lines;
    char** texts = nullptr;
    if (functions_.dump(index, &texts, parsable) != success || texts == nullptr) {
      return lines;
    }
    for (char** text = texts; *text != nullptr; ++text) {
      add_line(*text, name, lines);
      std::free(*text);
    }
    std::free(texts);
    return lines;
  }

  Functions functions_;
};

}  // namespace

std::unique_ptr<VariableSource> parameter_registry() {
  int is_initialized = 0;
  PMPI_Initialized(&is_initialized);
  if (std::string_view(ESPALIER_MPI_VENDOR) != "openmpi" || is_initialized == 0) {
    return nullptr;
  }
  Functions functions;
  look_up("mca_base_var_find_by_name", functions.find);
  look_up("mca_base_var_get_value", functions.get);
  look_up("mca_base_var_set_value", functions.set);
  look_up("mca_base_var_dump", functions.dump);
  bool const is_complete = functions.find != nullptr && functions.get != nullptr &&
                           functions.set != nullptr && functions.dump != nullptr;
  return is_complete ? std::make_unique<Registry>(functions) : nullptr;
}

}  // namespace espalier::plan
