// SPDX-License-Identifier: Apache-2.0

/// @file
/// Active messages of espalier_message.h.

#include "espalier/capi/onesided/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/capi/arguments.hpp"
#include "espalier/capi/onesided/conduit_object.hpp"

/// While its handler runs.
struct espalier_message {
  espalier::onesided::Message* message = nullptr;
  espalier_conduit* conduit = nullptr;
  int handler = 0;
};

namespace {

using espalier::Error;
using espalier::ErrorCode;
using espalier::formatted;
using espalier::capi::check_pointer;
using espalier::capi::on;
using espalier::onesided::Arguments;
using espalier::onesided::MessageKind;
using espalier::onesided::Outgoing;

Arguments arguments_of(std::uint64_t const* values, int num_values) {
  if (num_values < 0) {
    throw Error(ErrorCode::argument, formatted("expected arguments, got {} of them", num_values));
  }
  if (num_values > 0) {
    check_pointer(static_cast<void const*>(values), "arguments");
  }
  return Arguments(std::span(values, static_cast<std::size_t>(num_values)));
}

std::uint32_t number_of(int handler) {
  if (handler < 0) {
    throw Error(
        ErrorCode::argument, formatted("expected the number of a handler, got {}", handler)
    );
  }
  return static_cast<std::uint32_t>(handler);
}

std::span<std::byte const> bytes_of(void const* payload, std::uint64_t num_bytes) {
  if (num_bytes > 0) {
    check_pointer(payload, "payload");
  }
  return {static_cast<std::byte const*>(payload), static_cast<std::size_t>(num_bytes)};
}

/// The action on a message; what it throws is delivered to the handler of its conduit.
template <typename Action> int on_message(espalier_message* message, Action&& action) noexcept {
  espalier_conduit* const conduit = message == nullptr ? nullptr : message->conduit;
  return espalier::capi::on_inside(conduit, [&](espalier_conduit& self) {
    std::forward<Action>(action)(self);
  });
}

/// Everything goes on where there is no room.
void send(espalier_conduit& conduit, Outgoing const& outgoing) {
  if (!conduit.conduit->begin_send(outgoing)) {
    conduit.wait([&] { return conduit.conduit->begin_send(outgoing); });
  }
}

}  // namespace

namespace espalier::capi {

std::vector<onesided::Handler>
handlers_of(espalier_conduit& conduit, ConduitOptions const& options) {
  std::vector<onesided::Handler> handlers;
  for (espalier_handler* const handler : options.handlers) {
    int const number = static_cast<int>(handlers.size());
    handlers.emplace_back(
        // An exception has no way through what moves on collectives.
        [&conduit, handler, context = options.context, number](onesided::Message& message
        ) noexcept {
          espalier_message one{.message = &message, .conduit = &conduit, .handler = number};
          handler(&one, context);
        }
    );
  }
  return handlers;
}

}  // namespace espalier::capi

extern "C" {

uint64_t espalier_max_medium_bytes(espalier_conduit const* conduit) {
  return conduit == nullptr ? 0 : conduit->conduit->max_medium_bytes();
}

int espalier_send_short(
    uint64_t const* arguments, int num_arguments, int handler, int rank, espalier_conduit* conduit
) {
  return on(conduit, [&](espalier_conduit& self) {
    send(
        self,
        {.rank = rank,
         .handler = number_of(handler),
         .arguments = arguments_of(arguments, num_arguments)}
    );
  });
}

// NOLINTNEXTLINE(readability-function-size): as programs call it
int espalier_send_medium(
    void const* payload,
    uint64_t num_bytes,
    uint64_t const* arguments,
    int num_arguments,
    int handler,
    int rank,
    espalier_conduit* conduit
) {
  return on(conduit, [&](espalier_conduit& self) {
    send(
        self,
        {.rank = rank,
         .kind = MessageKind::medium_message,
         .handler = number_of(handler),
         .payload = bytes_of(payload, num_bytes),
         .arguments = arguments_of(arguments, num_arguments)}
    );
  });
}

// NOLINTNEXTLINE(readability-function-size): as programs call it
int espalier_send_long(
    void const* payload,
    uint64_t num_bytes,
    uint64_t const* arguments,
    int num_arguments,
    int handler,
    espalier_remote to,
    espalier_conduit* conduit
) {
  return on(conduit, [&](espalier_conduit& self) {
    auto const place = self.places.remote("long message", to, num_bytes);
    send(
        self,
        {.rank = place.rank,
         .kind = MessageKind::long_message,
         .handler = number_of(handler),
         .offset = place.offset,
         .payload = bytes_of(payload, num_bytes),
         .arguments = arguments_of(arguments, num_arguments)}
    );
  });
}

int espalier_wait_until(int (*is_true)(void* context), void* context, espalier_conduit* conduit) {
  return on(conduit, [&](espalier_conduit& self) {
    if (is_true == nullptr) {
      throw Error(ErrorCode::argument, "expected a function as is_true, got NULL");
    }
    self.wait([&] { return is_true(context) != 0; });
  });
}

int espalier_message_source(espalier_message const* message) {
  return message == nullptr ? -1 : message->message->source();
}

espalier_conduit* espalier_message_conduit(espalier_message const* message) {
  return message == nullptr ? nullptr : message->conduit;
}

int espalier_message_handler(espalier_message const* message) {
  return message == nullptr ? -1 : message->handler;
}

uint64_t const* espalier_message_arguments(espalier_message const* message, int* num_arguments) {
  std::span<std::uint64_t const> const found =
      message == nullptr ? std::span<std::uint64_t const>() : message->message->arguments();
  if (num_arguments != nullptr) {
    *num_arguments = static_cast<int>(found.size());
  }
  return found.data();
}

void* espalier_message_payload(espalier_message const* message, uint64_t* num_bytes) {
  std::span<std::byte> const found =
      message == nullptr ? std::span<std::byte>() : message->message->payload();
  if (num_bytes != nullptr) {
    *num_bytes = found.size();
  }
  return found.empty() ? nullptr : found.data();
}

int espalier_reply_short(
    uint64_t const* arguments, int num_arguments, int handler, espalier_message* message
) {
  return on_message(message, [&](espalier_conduit&) {
    message->message->reply_short(number_of(handler), arguments_of(arguments, num_arguments));
  });
}

int espalier_reply_medium(
    void const* payload,
    uint64_t num_bytes,
    uint64_t const* arguments,
    int num_arguments,
    int handler,
    espalier_message* message
) {
  return on_message(message, [&](espalier_conduit&) {
    message->message->reply_medium(
        number_of(handler), bytes_of(payload, num_bytes), arguments_of(arguments, num_arguments)
    );
  });
}

// NOLINTNEXTLINE(readability-function-size): as programs call it
int espalier_reply_long(
    void const* payload,
    uint64_t num_bytes,
    uint64_t const* arguments,
    int num_arguments,
    int handler,
    uint64_t offset,
    espalier_message* message
) {
  return on_message(message, [&](espalier_conduit& self) {
    espalier_remote const to{.rank = message->message->source(), .offset = offset};
    message->message->reply_long(
        number_of(handler),
        self.places.remote("long message", to, num_bytes).offset,
        bytes_of(payload, num_bytes),
        arguments_of(arguments, num_arguments)
    );
  });
}

}  // extern "C"
