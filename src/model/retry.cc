#include "model/retry.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace sonder::model {
namespace {

using nlohmann::json;

std::string in_brackets(int status) { return " (HTTP " + std::to_string(status) + ")"; }

Reception of_fault(Fault fault) {
  switch (fault) {
    case Fault::timeout:
      return {Outcome::again, "the endpoint did not answer in time"};
    case Fault::broken:
      return {Outcome::again, "the connection to the endpoint broke off"};
    case Fault::certificate:
      return {Outcome::hopeless, "the endpoint's certificate could not be verified"};
    case Fault::too_large:
      return {Outcome::refused, "the endpoint's answer is too large"};
    default:
      return {Outcome::again, "the endpoint cannot be reached"};
  }
}

// A field of the endpoint's error report; "" when there is none. Compared, never shown.
std::string error_field(const json& body, const char* name) {
  if (!body.is_object() || !body.contains("error") || !body["error"].is_object()) return "";
  const json& error = body["error"];
  return error.contains(name) && error[name].is_string() ? error[name].get<std::string>() : "";
}

Reception of_status(int status, const json& body) {
  if (status == 429) {
    if (error_field(body, "code") == "insufficient_quota" ||
        error_field(body, "type") == "insufficient_quota")
      return {Outcome::hopeless, "the endpoint says that the account's quota is used up (HTTP 429)"};
    return {Outcome::again, "the endpoint was too busy (HTTP 429)"};
  }
  if (status == 401) return {Outcome::hopeless, "the endpoint refused the key (HTTP 401)"};
  if (status == 402) return {Outcome::hopeless, "the endpoint wants to be paid first (HTTP 402)"};
  if (status == 403) return {Outcome::hopeless, "the endpoint forbids this (HTTP 403)"};
  if (status == 404 || status == 405)
    return {Outcome::hopeless, "the endpoint knows no such address or model" + in_brackets(status)};
  if (status >= 300 && status < 400)
    return {Outcome::hopeless, "the endpoint sends us elsewhere" + in_brackets(status)};
  if (status == 408 || status == 409 || status == 425)
    return {Outcome::again, "the endpoint asked to try again" + in_brackets(status)};
  if (status == 413 || error_field(body, "code") == "context_length_exceeded")
    return {Outcome::refused, "the text is too long for the judge" + in_brackets(status)};
  if (status >= 500) return {Outcome::again, "the endpoint failed" + in_brackets(status)};
  if (error_field(body, "code") == "content_filter")
    return {Outcome::refused, "the endpoint's content filter refused the text" + in_brackets(status)};
  return {Outcome::refused, "the endpoint refused the request" + in_brackets(status)};
}

// Some gateways report a failure with status 200.
Reception of_hidden_error(const json& body) {
  const json& error = body["error"];
  if (error.is_object() && error.contains("code") && error["code"].is_number_integer()) {
    const auto code = error["code"].get<std::int64_t>();
    if (code >= 400 && code < 600) return of_status(static_cast<int>(code), body);
  }
  return {Outcome::refused, "the endpoint reported an error instead of an answer"};
}

Reception of_answer(const std::string& text, const json& body) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {Outcome::again, "the endpoint's answer is empty"};
  if (text[first] == '<') return {Outcome::again, "a web page came back instead of an answer"};
  if (body.is_discarded()) return {Outcome::again, "the endpoint's answer is not whole JSON"};
  if (!body.is_object()) return {Outcome::again, "the endpoint's answer is no JSON object"};
  if (!body.contains("choices") && body.contains("error") && !body["error"].is_null())
    return of_hidden_error(body);
  return {Outcome::answered, ""};
}

}  // namespace

Reception receive(const Delivery& delivery) {
  if (delivery.fault != Fault::none || delivery.status == 0) return of_fault(delivery.fault);
  const json body = json::parse(delivery.body, nullptr, false);
  if (delivery.status >= 200 && delivery.status < 300) return of_answer(delivery.body, body);
  return of_status(delivery.status, body);
}

std::optional<double> wait_before_next(const Patience& patience, int n_tried, double retry_after, double u) {
  if (n_tried >= patience.tries || !(retry_after <= kLongestAsked)) return std::nullopt;
  const double doubled = patience.first_wait * std::exp2(std::clamp(n_tried - 1, 0, 60));
  const double own = std::min(doubled, patience.longest_wait) * (0.5 + 0.5 * u);
  return std::max(own, retry_after > 0 ? retry_after * (1 + 0.1 * u) : 0.0);
}

}  // namespace sonder::model
