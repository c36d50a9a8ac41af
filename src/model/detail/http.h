// Posts to one address, several requests at a time, in the caller's thread. Private to the room; the only
// file besides its source that knows of libcurl.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/address.h"

namespace sonder::model::detail {

enum class Trouble {
  none,
  unresolved,  // no such host
  unreached,   // nobody accepts connections there
  unsafe,      // the certificate or the encryption was refused
  late,        // not complete within the time
  broken,      // the connection ended too early
  large,       // more than kMostBytes
  other,
};
std::string in_words(Trouble trouble);  // "the connection was refused", …

struct HttpEnd {
  std::size_t tag = 0;
  Trouble trouble = Trouble::none;
  int status = 0;  // 0 with trouble
  std::string body;
  std::optional<double> retry_after;  // seconds from now
};

class Http {
 public:
  static constexpr std::size_t kMostBytes = 4U << 20U;

  // url: where to post. key: empty, or letters that may stand in a header. seconds: for a whole request.
  Http(const Address& address, const std::string& url, const std::string& key, double seconds);
  ~Http();
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  void send(std::size_t tag, const std::string& body);  // copies the body
  std::vector<HttpEnd> wait(double seconds);            // what ended meanwhile; may be nothing
  void abandon();                                       // forgets what is under way
  std::size_t under_way() const;

 private:
  struct Lines;
  std::unique_ptr<Lines> lines_;
};

}  // namespace sonder::model::detail
