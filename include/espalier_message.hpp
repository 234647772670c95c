/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * espalier_message.h for C++20: messages and their handlers. Part of espalier_onesided.hpp, whose
 * Conduit sends them.
 */

#ifndef ESPALIER_MESSAGE_HPP
#define ESPALIER_MESSAGE_HPP

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "espalier_request.hpp"
#include <espalier_message.h>

namespace espalier {

/** The numbers of a message: whole numbers, as in `{rank, 3}`, or a span of them. */
class Arguments {
public:
  template <std::integral... Value>
    requires(sizeof...(Value) <= ESPALIER_MAX_ARGUMENTS)
  Arguments(Value... values) noexcept  // NOLINT(google-explicit-constructor): a list in braces
      : values_{static_cast<std::uint64_t>(values)...}, count_(sizeof...(Value)) {}

  /** Throws std::invalid_argument if there are more than a message can have. */
  explicit Arguments(std::span<std::uint64_t const> values)
      : count_(static_cast<int>(values.size())) {
    if (values.size() > values_.size()) {
      throw std::invalid_argument("expected at most 5 arguments, got more");
    }
    std::copy(values.begin(), values.end(), values_.begin());
  }

  [[nodiscard]] std::uint64_t const* begin() const noexcept { return values_.data(); }

  [[nodiscard]] int count() const noexcept { return count_; }

private:
  std::array<std::uint64_t, ESPALIER_MAX_ARGUMENTS> values_{};
  int count_ = 0;
};

/** A message that has arrived, see espalier_message.h; inside of its handler. */
class Message {
public:
  explicit Message(espalier_message* message) noexcept : message_(message) {}

  /** For functions of the C interface that may be called in a handler. */
  [[nodiscard]] espalier_conduit* conduit() const noexcept {
    return espalier_message_conduit(message_);
  }

  [[nodiscard]] int source() const noexcept { return espalier_message_source(message_); }

  [[nodiscard]] std::span<std::uint64_t const> arguments() const noexcept {
    int num_arguments = 0;
    auto const* const begin = espalier_message_arguments(message_, &num_arguments);
    return {begin, static_cast<std::size_t>(num_arguments)};
  }

  [[nodiscard]] std::span<std::byte> payload() const noexcept {
    std::uint64_t num_bytes = 0;
    auto* const begin = static_cast<std::byte*>(espalier_message_payload(message_, &num_bytes));
    return {begin, static_cast<std::size_t>(num_bytes)};
  }

  void reply(int handler, Arguments const& arguments = {}) {
    require_success(espalier_reply_short(arguments.begin(), arguments.count(), handler, message_));
  }

  template <typename Element, std::size_t size>
  void reply(int handler, std::span<Element, size> payload, Arguments const& arguments = {}) {
    require_success(espalier_reply_medium(
        payload.data(),
        payload.size_bytes(),
        arguments.begin(),
        arguments.count(),
        handler,
        message_
    ));
  }

  /** @param offset  in the segment of the sender of this message */
  template <typename Element, std::size_t size>
  void reply_long(
      int handler,
      std::span<Element, size> payload,
      std::uint64_t offset,
      Arguments const& arguments = {}
  ) {
    require_success(espalier_reply_long(
        payload.data(),
        payload.size_bytes(),
        arguments.begin(),
        arguments.count(),
        handler,
        offset,
        message_
    ));
  }

private:
  espalier_message* message_;
};

/** What a message runs. An exception that it lets out ends the program. */
using Handler = std::function<void(Message)>;

/** What the handlers of a conduit refer to; it ends after the conduit. */
class KeptHandlers {
protected:
  explicit KeptHandlers(std::vector<Handler> handlers)
      : handlers_(std::make_unique<std::vector<Handler>>(std::move(handlers))),
        functions_(handlers_->size(), run) {}

  KeptHandlers(KeptHandlers&&) noexcept = default;

  /** They go where their conduit goes. */
  KeptHandlers& operator=(KeptHandlers&& other) noexcept {
    handlers_.swap(other.handlers_);
    functions_.swap(other.functions_);
    return *this;
  }

  KeptHandlers(KeptHandlers const&) = delete;
  KeptHandlers& operator=(KeptHandlers const&) = delete;
  ~KeptHandlers() = default;

  void add_to(espalier_conduit_options& options) const noexcept {
    options.handlers = functions_.data();
    options.num_handlers = static_cast<int>(functions_.size());
    options.context = handlers_.get();
  }

private:
  static void run(espalier_message* message, void* context) noexcept {
    auto const number = static_cast<std::size_t>(espalier_message_handler(message));
    (*static_cast<std::vector<Handler>*>(context))[number](Message(message));
  }

  std::unique_ptr<std::vector<Handler>> handlers_;
  std::vector<espalier_handler*> functions_;
};

}  // namespace espalier

#endif
