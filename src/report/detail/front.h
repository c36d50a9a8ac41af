// The part of the page that needs no JavaScript: the verdict by facet, what it does and does not show, the
// words.
#pragma once

#include <string>
#include <vector>

#include "study/findings.h"

namespace sonder::report::detail {

// Plain sentences, in the order of importance. What a verdict says goes into one of the two lists, by its
// tone.
std::vector<std::string> shown(const study::Findings& findings);
std::vector<std::string> not_shown(const study::Findings& findings);

// HTML; every text of the study is escaped.
std::string verdict_cards(const study::Findings& findings);
std::string list_items(const std::vector<std::string>& sentences);
std::string glossary(const study::Findings& findings);

}  // namespace sonder::report::detail
