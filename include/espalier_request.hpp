/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * What espalier_planned.hpp and espalier_onesided.hpp share: errors, handles that free themselves,
 * and requests, which are of one kind whatever was planned. C++20, header only.
 *
 * Errors are thrown where the error handler of the communicator returns, as MPI_ERRORS_RETURN does.
 */

#ifndef ESPALIER_REQUEST_HPP
#define ESPALIER_REQUEST_HPP

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <espalier.h>
#include <espalier_onesided.h>

#include <mpi.h>

namespace espalier {

/** What a function of the C interface returned, and what it said. */
class CallError : public std::runtime_error {
public:
  CallError(int code, std::string const& text) : std::runtime_error(text), code_(code) {}

  /** MPI error code. */
  [[nodiscard]] int code() const noexcept { return code_; }

  /** MPI error class, as MPI_ERR_ARG. */
  [[nodiscard]] int error_class() const noexcept {
    int found = MPI_ERR_UNKNOWN;
    MPI_Error_class(code_, &found);
    return found;
  }

private:
  int code_;
};

/** @throws CallError unless the code is MPI_SUCCESS. */
inline void require_success(int code) {
  if (code != MPI_SUCCESS) {
    std::string text(static_cast<std::size_t>(espalier_last_error(nullptr, 0)) + 1, '\0');
    espalier_last_error(text.data(), static_cast<int>(text.size()));
    text.pop_back();
    throw CallError(code, text);
  }
}

/** A handle with an end. */
template <typename Object, int (*end)(Object**)> class Owned {
public:
  Owned() = default;

  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}

  Owned& operator=(Owned&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  Owned(Owned const&) = delete;
  Owned& operator=(Owned const&) = delete;

  ~Owned() {
    if (object_ != nullptr) {
      end(&object_);
    }
  }

  /** For functions of the C interface. */
  [[nodiscard]] Object* get() const noexcept { return object_; }

  /** Ends it before the destructor does, and says what is wrong. */
  void reset() {
    if (object_ != nullptr) {
      require_success(end(&object_));
    }
  }

protected:
  Object** place() noexcept { return &object_; }

private:
  Object* object_ = nullptr;
};

/** A planned collective of a communicator, a neighborhood, a grid or a team. Whoever destroys it
 * has waited for it. */
class Request : public Owned<espalier_request, espalier_request_free> {
public:
  /** What a function of the C interface plans. It is called with the arguments and the place of a
   * request, as in planned(espalier_neighbor_alltoall_init, ..., neighborhood). */
  template <typename Init, typename... Arguments>
  [[nodiscard]] static Request planned(Init init, Arguments... arguments) {
    Request request;
    require_success(init(arguments..., request.place()));
    return request;
  }

  void start() { require_success(espalier_request_start(get())); }

  [[nodiscard]] bool test() {
    int is_complete = 0;
    require_success(espalier_request_test(get(), &is_complete));
    return is_complete != 0;
  }

  void wait() { require_success(espalier_request_wait(get())); }

  [[nodiscard]] std::string algorithm() const { return espalier_request_algorithm(get()); }

  /** Lines for people: what was planned, and why. */
  [[nodiscard]] std::string explain() const {
    std::string text(static_cast<std::size_t>(espalier_explain(get(), nullptr, 0)) + 1, '\0');
    espalier_explain(get(), text.data(), static_cast<int>(text.size()));
    text.pop_back();
    return text;
  }

  /* Of a team: how data move, and where algorithm and mechanism came from. */

  [[nodiscard]] std::string mechanism() const { return espalier_request_mechanism(get()); }

  [[nodiscard]] std::string origin() const { return espalier_request_origin(get()); }

  /** Of a team, as all that tunes. */
  void tune(espalier_tuning_options const& options) {
    require_success(espalier_request_tune(get(), &options));
  }

  /** @param seconds 0: as many as the C interface takes. */
  void tune(double seconds = 0) { tune(with(seconds)); }

  /** The same with something that is called between start and wait of each run, as `meanwhile()`.
   * If it throws, it is not called again, and what it threw is thrown at the end. */
  template <typename Meanwhile> void tune(double seconds, Meanwhile&& meanwhile) {
    struct Call {
      std::remove_reference_t<Meanwhile>* meanwhile;
      std::exception_ptr thrown;
    } call{&meanwhile, nullptr};

    espalier_tuning_options options = with(seconds);
    options.context = &call;
    options.meanwhile = [](void* context) {
      auto* const self = static_cast<Call*>(context);
      try {
        if (!self->thrown) {
          (*self->meanwhile)();
        }
      } catch (...) {
        self->thrown = std::current_exception();
      }
    };
    tune(options);
    if (call.thrown) {
      std::rethrow_exception(call.thrown);
    }
  }

private:
  static espalier_tuning_options with(double seconds) noexcept {
    espalier_tuning_options options = ESPALIER_TUNING_OPTIONS_INIT;
    options.seconds = seconds;
    return options;
  }
};

}  // namespace espalier

#endif
