// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

namespace espalier::cost {

/// The same number of servers at each of several objects; who asks first is served first.
class Channels {
public:
  Channels() = default;
  /// @param num_channels of each object, above 0; with as many as num_users or more, or with
  ///   unlimited ones, nobody ever waits. If it is no whole number, the number of servers is
  ///   rounded up and each rests after it has served.
  /// @throws Error argument unless num_channels > 0.
  Channels(int num_objects, double num_channels, int num_users);

  [[nodiscard]] bool are_limited() const noexcept { return num_servers_ > 0; }

  /// Asks at `now` for a server for so many seconds; returns when it begins. Times of an object
  /// must not fall from call to call for the order to be that of asking.
  double serve(int object, double now, double seconds);

  /// Seconds served at the object that served most, divided by its channels.
  [[nodiscard]] double busiest() const;

private:
  int num_servers_ = 0;  ///< of an object; 0: unlimited
  double stretch_ = 1;   ///< seconds of a server per second served
  double num_channels_ = 0;
  std::vector<double> free_;  ///< of the servers of each object, as heaps with the earliest first
  std::vector<double> served_;
};

}  // namespace espalier::cost
