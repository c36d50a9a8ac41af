// The bank: scenarios with their exemplars, ladders and controls. JSONL, one scenario a line.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "store/problem.h"

namespace sonder::store {

enum class Split { fit, dev, test };

struct FacetTexts {
  std::string emp;                  // EMP_f: the fully empathic reply
  std::vector<std::string> ladder;  // 4 levels inside supportive text, low to high; empty in fit
};

// Facets by name: "affective", "cognitive".
struct Scenario {
  std::string id;      // "work-014"
  std::string family;  // scenarios of one family never cross splits
  Split split = Split::fit;
  std::string area;     // life area: "work", "illness", …
  std::string message;  // what the person wrote
  std::string neu;      // NEU
  std::map<std::string, FacetTexts> facets;
  std::string rephrase_of_neu;                         // REPHRASE: same meaning as NEU; empty in fit
  std::map<std::string, std::string> rephrase_of_emp;  // by facet, REPHRASE of EMP_f; empty in fit
  std::string pad;                                     // PAD: NEU plus content-free sentences; empty in fit
  std::string formal;  // NEU in a formal register: unrelated concept for placebo P5; fit only
};

struct Rubric {
  std::string facet;
  std::string text;  // instructions of the judge; ends before the message
};

struct Bank {
  std::string name;
  std::string sha256;  // of the names and hashes of its files, in the order of read_bank
  std::vector<Scenario> scenarios;
  std::vector<std::string> unrelated;  // prompts that have nothing to do with feelings, for KL
  std::vector<Rubric> rubrics;
  std::vector<std::string> padding;  // content-free sentences that lengthen a reply (PAD of BASE)
};

// The four files as text; how a bank that is not a folder is read, and how the reader is tested.
struct BankText {
  std::string scenarios, unrelated, rubrics, padding;
};

// Reads a folder (scenarios.jsonl, unrelated.jsonl, rubrics.jsonl, padding.jsonl): JSON, one value a line,
// keys named as the fields above. Every problem at once, with its line: unknown, missing and repeated keys,
// wrong types, repeated ids, families that cross splits, what a split lacks or must not have, bytes that are
// not UTF-8, lines above 1 MB (never held in memory whole), files above 256 MB. Throws BadInput.
Bank read_bank(const std::string& folder);
Bank parse_bank(const BankText& text, const std::string& name);

// What `sonder validate FOLDER` reports: the problems of reading, or else those of the design
// (bank_checks.h).
std::vector<Problem> validate_bank(const std::string& folder);

}  // namespace sonder::store
