// Text made safe for the place in the page where it stands.
#pragma once

#include <string>
#include <string_view>

namespace sonder::report::detail {

// For element content and quoted attributes.
std::string escape_html(std::string_view text);

// JSON for a <script type="application/json">: `<` becomes \u003c, so that no text in it can end the element.
std::string escape_json(const std::string& json);

std::string base64(std::string_view bytes);

// zlib format (RFC 1950), which a browser's DecompressionStream("deflate") reads. Throws Error(engine).
std::string deflate(std::string_view bytes);

// "'sha256-…'", the source expression by which a content security policy admits one inline script.
std::string csp_hash(std::string_view script);

// The template with each {{name}} replaced. What is put in is not searched again. Throws Error(bug) on a name
// that is not given.
struct Slot {
  std::string_view name;
  std::string_view text;
};
std::string fill(std::string_view page, std::initializer_list<Slot> slots);

}  // namespace sonder::report::detail
