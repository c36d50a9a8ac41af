#include "model/detail/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace sonder::model::detail {
namespace {

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

constexpr double kMostConnecting = 15;  // seconds: a host that is there accepts sooner

Trouble trouble_of(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return Trouble::none;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return Trouble::unresolved;
    case CURLE_COULDNT_CONNECT:
      return Trouble::unreached;
    case CURLE_OPERATION_TIMEDOUT:
      return Trouble::late;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
      return Trouble::unsafe;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return Trouble::broken;  // the last: HTTP/0.9, what is no HTTP at all
    case CURLE_WRITE_ERROR:
      return Trouble::large;
    default:
      return Trouble::other;
  }
}

struct Request {
  std::unique_ptr<CURL, FreeEasy> easy{curl_easy_init()};
  std::size_t tag = 0;
  std::string sent;
  std::string body;
  bool busy = false;
};

std::size_t take(char* bytes, std::size_t size, std::size_t n, void* self) noexcept {
  try {
    std::string& body = static_cast<Request*>(self)->body;
    if (size * n > Http::kMostBytes - body.size()) return 0;  // ends the request
    body.append(bytes, size * n);
    return size * n;
  } catch (...) {  // parks: no memory ends the request like an answer that is too large
    return 0;
  }
}

}  // namespace

std::string in_words(Trouble trouble) {
  switch (trouble) {
    case Trouble::none:
      return "no trouble";
    case Trouble::unresolved:
      return "its host is not known";
    case Trouble::unreached:
      return "the connection was refused";
    case Trouble::unsafe:
      return "its certificate or encryption was not accepted";
    case Trouble::late:
      return "no whole answer came in time";
    case Trouble::broken:
      return "the connection ended before the answer did";
    case Trouble::large:
      return "its answer was larger than 4 MB";
    case Trouble::other:
      break;
  }
  return "the connection failed";
}

struct Http::Lines {
  std::unique_ptr<CURLM, FreeMulti> multi{curl_multi_init()};
  std::unique_ptr<curl_slist, FreeList> headers;
  std::string url;
  long milliseconds = 0;
  bool loopback = false;
  std::vector<std::unique_ptr<Request>> requests;  // reused, and with them their connections
  std::size_t busy = 0;

  void header(const std::string& line) {
    curl_slist* longer = curl_slist_append(headers.get(), line.c_str());
    if (longer == nullptr) throw Error(ErrorKind::engine, "libcurl could not take a header");
    (void)headers.release();
    headers.reset(longer);
  }

  Request& free_request() {
    const auto idle = std::find_if(requests.begin(), requests.end(), [](const auto& r) { return !r->busy; });
    if (idle != requests.end()) return **idle;
    requests.push_back(std::make_unique<Request>());
    Request& r = *requests.back();
    if (!r.easy) throw Error(ErrorKind::engine, "libcurl could not begin");
    CURL* easy = r.easy.get();
    curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "sonder");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION,
                     0L);  // a redirect would carry texts to an address nobody named
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, milliseconds);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     std::min(milliseconds, static_cast<long>(1000 * kMostConnecting)));
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &r);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, &r);
    if (loopback) curl_easy_setopt(easy, CURLOPT_PROXY, "");  // this machine is not asked for through a proxy
    return r;
  }

  void release(Request& r) {
    curl_multi_remove_handle(multi.get(), r.easy.get());
    r.busy = false;
    --busy;
  }
};

Http::Http(const Address& address, const std::string& url, const std::string& key, double seconds)
    : lines_(std::make_unique<Lines>()) {
  static const CURLcode kReady = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (kReady != CURLE_OK || !lines_->multi) throw Error(ErrorKind::engine, "libcurl could not begin");
  lines_->url = url;
  lines_->milliseconds = std::max(1L, std::lround(1000 * seconds));
  lines_->loopback = address.loopback;
  lines_->header("Content-Type: application/json");
  lines_->header("Accept: application/json");
  lines_->header("Expect:");  // no round trip to ask whether the question may be sent
  if (!key.empty()) lines_->header("Authorization: Bearer " + key);
}

Http::~Http() { abandon(); }

std::size_t Http::under_way() const { return lines_->busy; }

void Http::send(std::size_t tag, const std::string& body) {
  Request& r = lines_->free_request();
  r.tag = tag;
  r.sent = body;
  r.body.clear();
  curl_easy_setopt(r.easy.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(r.sent.size()));
  curl_easy_setopt(r.easy.get(), CURLOPT_POSTFIELDS, r.sent.c_str());
  if (curl_multi_add_handle(lines_->multi.get(), r.easy.get()) != CURLM_OK)
    throw Error(ErrorKind::engine, "libcurl could not take a request");
  r.busy = true;
  ++lines_->busy;
}

std::vector<HttpEnd> Http::wait(double seconds) {
  int running = 0;
  curl_multi_perform(lines_->multi.get(), &running);
  if (static_cast<std::size_t>(running) == lines_->busy) {  // nothing has ended yet
    const int milliseconds = static_cast<int>(std::ceil(1000 * std::clamp(seconds, 0.0, 60.0)));
    curl_multi_poll(lines_->multi.get(), nullptr, 0, milliseconds, nullptr);
    curl_multi_perform(lines_->multi.get(), &running);
  }
  std::vector<HttpEnd> ends;
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(lines_->multi.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    char* self = nullptr;
    CURL* easy = message->easy_handle;
    const CURLcode result = message->data.result;  // gone once the handle is removed
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &self);
    Request& r = *reinterpret_cast<Request*>(self);
    HttpEnd end{r.tag, trouble_of(result), 0, {}, {}};
    if (end.trouble == Trouble::none) {
      long status = 0;
      curl_off_t after = 0;
      curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
      curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &after);
      end.status = static_cast<int>(status);
      if (after > 0) end.retry_after = static_cast<double>(after);
      end.body = std::move(r.body);
    }
    lines_->release(r);
    ends.push_back(std::move(end));
  }
  return ends;
}

void Http::abandon() {
  for (const auto& r : lines_->requests)
    if (r->busy) lines_->release(*r);
}

}  // namespace sonder::model::detail
