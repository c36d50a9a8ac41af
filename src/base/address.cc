#include "base/address.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace sonder {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// A whole number from 0 to `most` without a sign or a leading zero; -1 when it is none.
int number(std::string_view text, int most) {
  int value = -1;
  if (text.empty() || text.size() > 5 || !std::all_of(text.begin(), text.end(), digit)) return -1;
  if (text.size() > 1 && text[0] == '0') return -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value <= most ? value : -1;
}

// All four parts: "127.1" and "0x7f.1" are read differently by different programs, and are not believed.
bool dotted_loopback(std::string_view host) {
  std::array<int, 4> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t dot = i + 1 < parts.size() ? host.find('.') : host.size();
    if (dot == std::string_view::npos) return false;
    parts.at(i) = number(host.substr(0, dot), 255);
    if (parts.at(i) < 0) return false;
    host.remove_prefix(std::min(host.size(), dot + 1));
  }
  return parts[0] == 127;
}

bool plain_host(std::string_view host) {
  return !host.empty() && host.front() != '.' && host.front() != '-' &&
         std::all_of(host.begin(), host.end(),
                     [](char c) { return digit(c) || (c >= 'a' && c <= 'z') || c == '.' || c == '-'; });
}

bool bracketed_host(std::string_view host) {
  return host.size() > 4 && host.front() == '[' && host.back() == ']' &&
         std::all_of(host.begin() + 1, host.end() - 1,
                     [](char c) { return digit(c) || (c >= 'a' && c <= 'f') || c == ':' || c == '.'; });
}

bool plain_path(std::string_view path) {
  return std::all_of(path.begin(), path.end(), [](char c) {
    return digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') ||
           std::string_view("/-._~%:+,").find(c) != std::string_view::npos;
  });
}

}  // namespace

Measured<Address> read_address(std::string_view text) {
  Address address;
  std::string scheme;
  const std::size_t colon = text.find("://");
  if (colon != std::string_view::npos)
    std::transform(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon),
                   std::back_inserter(scheme), lower);
  if (scheme != "http" && scheme != "https")
    return Missing{"expected an address that begins with https:// or http://"};
  address.secure = scheme == "https";
  std::string_view rest = text.substr(colon + 3);
  if (rest.find('@') != std::string_view::npos)
    return Missing{"expected an address without a user name or a key in it"};
  if (rest.find_first_of("?#") != std::string_view::npos)
    return Missing{"expected an address without ? or #"};
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view path = rest.substr(slash);
  rest = rest.substr(0, slash);
  std::transform(rest.begin(), rest.end(), std::back_inserter(address.host), lower);

  address.port = address.secure ? 443 : 80;
  const std::size_t bracket = address.host.rfind(']');
  const std::size_t port = address.host.find(':', bracket == std::string::npos ? 0 : bracket);
  if (port != std::string::npos) {
    address.port = number(std::string_view(address.host).substr(port + 1), 65535);
    if (address.port < 1) return Missing{"expected a port from 1 to 65535"};
    address.host.resize(port);
  }
  if (!plain_host(address.host) && !bracketed_host(address.host))
    return Missing{"expected the name or the number of a host"};
  if (!plain_path(path)) return Missing{"expected a path of plain letters, digits and -._~+,"};
  address.loopback = address.host == "localhost" || address.host == "[::1]" || dotted_loopback(address.host);
  while (path.ends_with('/')) {
    path.remove_suffix(1);
    text.remove_suffix(1);
  }
  address.base = std::string(text);
  return address;
}

}  // namespace sonder
