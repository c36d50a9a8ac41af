// The address of a service on the network. Strict: an address cannot hide another host, and cannot carry a
// key.
#pragma once

#include <string>
#include <string_view>

#include "base/measured.h"

namespace sonder {

struct Address {
  bool secure = false;    // https
  bool loopback = false;  // this machine: localhost, 127.0.0.0/8, ::1
  std::string host;       // lower case; an IPv6 address in its brackets
  int port = 0;           // 1..65535
  std::string base;       // what was written, without a slash at the end
};

// scheme://host[:port][/path], http or https. Missing when it is anything else: user names, queries and
// fragments are refused, since a key could stand there. The reason never repeats what was written.
Measured<Address> read_address(std::string_view text);

}  // namespace sonder
