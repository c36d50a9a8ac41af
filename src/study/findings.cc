#include "study/findings.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>

#include "base/error.h"

namespace sonder::study {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order of facets and counts

constexpr const char* kSchema = "sonder.findings/1";

// Where in the document we are. The words are put together only when something is wrong.
struct Place {
  const Place* up = nullptr;
  std::string_view key;
  std::size_t index = 0;  // in a list, where `key` is empty

  std::string words() const {
    if (!up) return "findings";
    return key.empty() ? up->words() + "[" + std::to_string(index) + "]"
                       : up->words() + "." + std::string(key);
  }
};

[[noreturn]] void refuse(const Place& place, const std::string& expected) {
  throw Error(ErrorKind::corrupt,
              place.words() + ": expected " + expected + ". These are not whole findings.");
}

// Writer and Reader offer the same calls, so that `describe` says once for both ways what each struct is made
// of. It takes the struct apart by structured binding: a field added in the header and forgotten here does
// not compile.
class Writer {
 public:
  template <class T>
  using Ref = const T&;

  explicit Writer(const Place& place) : place_(place) {}
  Json take() { return std::move(out_); }

  template <class T>
  Writer& operator()(const std::string& key, const T& value) {
    if constexpr (std::is_same_v<T, Figure>) {
      figure(key, key + "_", value);
    } else {
      require_new(key);
      out_[key] = write(value, {&place_, key});
    }
    return *this;
  }

  Writer& figure(const std::string& key, const std::string& prefix, const Figure& figure) {
    if (figure.missing.empty())
      return (*this)(key, figure.value)(prefix + "lo95", figure.lo95)(prefix + "hi95", figure.hi95)(
          prefix + "lo90", figure.lo90)(prefix + "hi90", figure.hi90);
    out_[key] = nullptr;
    return (*this)(prefix + "missing", figure.missing);
  }

  // A list that stands as an object, since each of its entries has a name of its own. The order is kept.
  template <class T, class Part>
  Writer& named(const std::string& key, const std::vector<T>& list, std::string T::*name, Part part) {
    const Place place{&place_, key};
    Writer inside(place);
    for (const T& entry : list) inside(entry.*name, part(entry));
    out_[key] = inside.take();
    return *this;
  }

 private:
  void require_new(const std::string& key) const {
    if (out_.contains(key))
      throw Error(ErrorKind::bug, "two things share one name: " + Place{&place_, key}.words());
  }

  static Json write(const std::string& text, const Place&) { return text; }
  static Json write(bool yes, const Place&) { return yes; }
  static Json write(int number, const Place&) { return number; }
  static Json write(std::int64_t number, const Place&) { return number; }
  static Json write(double number, const Place& place) {
    if (!std::isfinite(number))
      throw Error(ErrorKind::bug,
                  place.words() + " is not a finite number; it should be missing, with a reason");
    return number;
  }
  template <class T>
  static Json write(const std::vector<T>& list, const Place& place) {
    Json array = Json::array();
    for (const T& value : list) array.push_back(write(value, {&place, {}, array.size()}));
    return array;
  }
  template <class T>
  static Json write(const std::map<std::string, T>& entries, const Place& place) {
    Writer inside(place);
    for (const auto& [name, value] : entries) inside(name, value);
    return inside.take();
  }
  template <class T>
    requires std::is_class_v<T>
  static Json write(const T& value, const Place& place) {
    Writer inside(place);
    describe(inside, value);
    return inside.take();
  }

  Json out_ = Json::object();
  const Place& place_;
};

class Reader {
 public:
  template <class T>
  using Ref = T&;

  Reader(const Json& in, const Place& place) : in_(in), place_(place) {
    expect(in.is_object(), place, "an object");
  }

  template <class T>
  Reader& operator()(const std::string& key, T& value) {
    if constexpr (std::is_same_v<T, Figure>) {
      figure(key, key + "_", value);
    } else {
      read(at(key), value, {&place_, key});
    }
    return *this;
  }

  Reader& figure(const std::string& key, const std::string& prefix, Figure& figure) {
    figure = Figure{};
    if (!at(key).is_null())
      return (*this)(key, figure.value)(prefix + "lo95", figure.lo95)(prefix + "hi95", figure.hi95)(
          prefix + "lo90", figure.lo90)(prefix + "hi90", figure.hi90);
    (*this)(prefix + "missing", figure.missing);
    expect(!figure.missing.empty(), {&place_, key}, "a reason why the number is missing");
    return *this;
  }

  template <class T, class Part>
  Reader& named(const std::string& key, std::vector<T>& list, std::string T::*name, Part part) {
    const Place place{&place_, key};
    Reader inside(at(key), place);
    list.clear();
    for (const auto& [entry, value] : inside.in_.items()) {
      list.emplace_back().*name = entry;
      read(value, part(list.back()), {&place, entry});
    }
    return *this;
  }

 private:
  static void expect(bool kept, const Place& place, const char* what) {
    if (!kept) refuse(place, what);
  }
  const Json& at(const std::string& key) const {
    const auto found = in_.find(key);
    expect(found != in_.end(), {&place_, key}, "a value, found none");
    return *found;
  }

  static void read(const Json& in, std::string& text, const Place& place) {
    expect(in.is_string(), place, "text");
    text = in.get_ref<const std::string&>();
  }
  static void read(const Json& in, bool& yes, const Place& place) {
    expect(in.is_boolean(), place, "true or false");
    yes = in.get<bool>();
  }
  static void read(const Json& in, double& number, const Place& place) {
    expect(in.is_number(), place, "a number");
    number = in.get<double>();
  }
  static void read(const Json& in, std::int64_t& number, const Place& place) {
    expect(in.is_number_integer(), place, "a whole number");
    number = in.get<std::int64_t>();
  }
  static void read(const Json& in, int& number, const Place& place) {
    std::int64_t wide = 0;
    read(in, wide, place);
    using Limits = std::numeric_limits<int>;
    expect(wide >= Limits::min() && wide <= Limits::max(), place, "a smaller whole number");
    number = static_cast<int>(wide);
  }
  template <class T>
  static void read(const Json& in, std::vector<T>& list, const Place& place) {
    expect(in.is_array(), place, "a list");
    list.clear();
    list.resize(in.size());
    for (std::size_t i = 0; i < list.size(); ++i) read(in[i], list[i], {&place, {}, i});
  }
  template <class T>
  static void read(const Json& in, std::map<std::string, T>& entries, const Place& place) {
    Reader inside(in, place);
    entries.clear();
    for (const auto& [name, value] : in.items()) read(value, entries[name], {&place, name});
  }
  template <class T>
    requires std::is_class_v<T>
  static void read(const Json& in, T& value, const Place& place) {
    Reader inside(in, place);
    describe(inside, value);
  }

  const Json& in_;
  const Place& place_;
};

// ---- one description a struct

template <class Io>
void describe(Io& io, typename Io::template Ref<LayerScore> x) {
  auto& [layer, method, auroc, concordance] = x;
  io("layer", layer)("method", method)("auroc", auroc)("concordance", concordance);
}

template <class Io>
void describe(Io& io, typename Io::template Ref<Baseline> x) {
  auto& [name, auroc, concordance, gain] = x;
  io("name", name)("auroc", auroc)("concordance", concordance)("gain", gain);
}

template <class Io>
void describe(Io& io, typename Io::template Ref<RandomNull> x) {
  auto& [kind, mean, p95, p99, n] = x;
  io("kind", kind)("mean", mean)("p95", p95)("p99", p99)("n", n);
}

template <class Io>
void describe(Io& io, typename Io::template Ref<Detection> x) {
  auto& [facet, status, why, layer, method, steer_layer, auroc, concordance, p, n_permutations, held_out,
         prompt_position_auroc, cross_facet_auroc, cosine_other, class_gap, median_norm, sd_neutral, sweep,
         baselines, nulls] = x;
  io("facet", facet)("status", status)("why", why)("layer", layer)("method", method)(
      "steer_layer", steer_layer)("auroc", auroc)("concordance", concordance)("p", p)(
      "n_permutations", n_permutations)("held_out", held_out)("prompt_position_auroc", prompt_position_auroc)(
      "cross_facet_auroc", cross_facet_auroc)("cosine_other", cosine_other)("class_gap", class_gap)(
      "median_norm", median_norm)("sd_neutral", sd_neutral)("sweep", sweep)("baselines", baselines)("nulls",
                                                                                                    nulls);
}

template <class Io>
void describe(Io& io, typename Io::template Ref<Gate> x) {
  auto& [code, name, passed, taken, detail, failure] = x;
  io("code", code)("name", name)("passed", passed)("taken", taken)("detail", detail)("failure", failure);
}

template <class Io>
void describe(Io& io, typename Io::template Ref<LadderLevel> x) {
  auto& [level, mean, se] = x;
  io("level", level)("mean", mean)("se", se);
}

template <class Io>
void describe(Io& io, typename Io::template Ref<Certificate> x) {
  auto& [instrument, family, facet, certified, control_only, gates, ladder, natural_gap, unit, n_scenarios,
         missing_share] = x;
  io("name", instrument)("family", family)("facet", facet)("certified", certified)(
      "control_only", control_only)("gates", gates)("ladder", ladder)("natural_gap", natural_gap)(
      "unit", unit)("n_scenarios", n_scenarios)("missing_share", missing_share);
}

template <class Io>
void describe(Io& io, typename Io::template Ref<Effect> x) {
  auto& [facet, arm, kind, direction, dose, instrument, theta, raw, words, local, chosen] = x;
  io("facet", facet)("arm", arm)("kind", kind)("direction", direction)("dose", dose)("instrument", instrument)
      .figure("theta", "", theta)("raw", raw)("words", words)("local", local)("chosen", chosen);
}

template <class Io>
void describe(Io& io, typename Io::template Ref<SideEffects> x) {
  auto& [arm, kind, direction, dose, kl, fluency, repetition, broken, distinct2, admissible, why_not] = x;
  io("arm", arm)("kind", kind)("direction", direction)("dose", dose)("kl", kl)("fluency", fluency)(
      "repetition", repetition)("broken", broken)("distinct2", distinct2)("admissible", admissible)("why_not",
                                                                                                    why_not);
}

template <class Io>
void describe(Io& io, typename Io::template Ref<Manipulated> x) {
  auto& [arm, asked, got, relative_error, kl] = x;
  io("arm", arm)("asked", asked)("got", got)("relative_error", relative_error)("kl", kl);
}

template <class Io>
void describe(Io& io, typename Io::template Ref<PlaceboContrast> x) {
  auto& [facet, instrument, contrast, p, n] = x;
  io("facet", facet)("instrument", instrument)("contrast", contrast)("p", p)("n", n);
}

template <class Io>
void describe(Io& io, typename Io::template Ref<LengthCheck> x) {
  auto& [facet, instrument, raw, truncated, adjusted, slope, fires, detail] = x;
  io("facet", facet)("instrument", instrument)("raw", raw)("truncated", truncated)("adjusted", adjusted)(
      "slope", slope)("fires", fires)("detail", detail);
}

// Its facet is the key it stands under.
template <class Io>
void describe(Io& io, typename Io::template Ref<Verdict> x) {
  auto& [facet, detect, control, reasons, perceive, ablation, headline] = x;
  io("detect", detect)("control", control)("reasons", reasons)("perceive", perceive)("ablation", ablation)(
      "headline", headline);
}

template <class Io>
void describe(Io& io, typename Io::template Ref<ShownReply> x) {
  auto& [scenario, arm, repeat, text, stopped, scores] = x;
  io("scenario", scenario)("arm", arm)("repeat", repeat)("text", text)("stopped", stopped)("scores", scores);
}

template <class Io>
void describe(Io& io, typename Io::template Ref<ShownScenario> x) {
  auto& [id, split, area, message, neu, emp] = x;
  io("id", id)("split", split)("area", area)("message", message)("neu", neu)("emp", emp);
}

template <class Io>
void describe(Io& io, typename Io::template Ref<StepTime> x) {
  auto& [step, seconds] = x;
  io("step", step)("seconds", seconds);
}

template <class Io>
void describe(Io& io, typename Io::template Ref<Provenance> x) {
  auto& [started, finished, sonder_version, llama_version, compiler, machine, threads, model_name,
         model_sha256, model_architecture, model_format, n_layers, n_embd, bank_name, bank_sha256, plan_hash,
         plan, times] = x;
  io("started", started)("finished", finished)("sonder_version", sonder_version)(
      "llama_version", llama_version)("compiler", compiler)("machine", machine)("threads", threads)(
      "model_name", model_name)("model_sha256", model_sha256)("model_architecture", model_architecture)(
      "model_format", model_format)("n_layers", n_layers)("n_embd", n_embd)("bank_name", bank_name)(
      "bank_sha256", bank_sha256)("plan_hash", plan_hash)("plan", plan)("times", times);
}

template <class Io>
void describe(Io& io, typename Io::template Ref<Findings> x) {
  auto& [name, sentence, verdicts, detections, certificates, effects, side_effects, manipulations, placebos,
         lengths, chosen_dose, delta, tau, scenarios, replies, counts, provenance] = x;
  const auto whole = [](auto& verdict) -> auto& { return verdict; };
  const auto value = [](auto& count) -> auto& { return count.value; };
  io("name", name)("sentence", sentence)
      .named("verdict", verdicts, &Verdict::facet, whole)("chosen_dose", chosen_dose)("delta", delta)(
          "tau", tau)("detection", detections)("instruments", certificates)("effects", effects)(
          "placebos", placebos)("lengths", lengths)("side_effects", side_effects)("manipulations",
                                                                                  manipulations)
      .named("counts", counts, &Count::name, value)("provenance", provenance)("scenarios", scenarios)(
          "replies", replies);
}

}  // namespace

std::string as_json(const Findings& findings) {
  const Place top;
  Writer writer(top);
  writer("schema", std::string(kSchema));
  describe(writer, findings);
  return writer.take().dump(1, ' ', false, Json::error_handler_t::replace);
}

Findings findings_from_json(const std::string& json) {
  const Place top;
  const Json document = Json::parse(json, nullptr, false);
  if (document.is_discarded()) refuse(top, "JSON");
  Reader reader(document, top);
  std::string schema;
  reader("schema", schema);
  if (schema != kSchema)
    refuse({&top, "schema"}, kSchema + std::string(", which this version of Sonder reads"));
  Findings findings;
  describe(reader, findings);
  return findings;
}

}  // namespace sonder::study
