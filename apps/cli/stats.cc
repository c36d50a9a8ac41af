// sonder stats: the statistics room on anybody's table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "door.h"
#include "report/estimates.h"
#include "stats/families.h"
#include "store/csv.h"

namespace sonder::cli {
namespace {

struct StatsOptions {
  std::string file, test, value, group, cluster, label, high, metric = "interval";
  std::vector<std::string> columns;
  double bound = 0;
  std::uint64_t seed = 1;
  int draws = 9999;
};

struct Found {
  std::string head;
  std::vector<stats::Line> lines;
};

stats::FamilyOptions family_options(const StatsOptions& o) {
  stats::FamilyOptions out;
  out.seed = Seed(o.seed);
  out.draws = o.draws;
  if (o.bound != 0) {
    require(std::isfinite(o.bound) && o.bound > 0,
            fmt::format("--bound: expected more than 0, found {}", o.bound));
    out.bound = o.bound;
  }
  require(o.draws >= 99 && o.draws <= 1'000'000,
          fmt::format("--draws: expected 99 to 1000000, found {}", o.draws));
  return out;
}

// Refuses what this test needs and was not given, and what it would ignore.
void require_options(const StatsOptions& o, const std::vector<std::string>& needs,
                     const std::vector<std::string>& takes = {}) {
  const std::map<std::string, bool> given = {
      {"--columns", !o.columns.empty()}, {"--value", !o.value.empty()}, {"--group", !o.group.empty()},
      {"--cluster", !o.cluster.empty()}, {"--label", !o.label.empty()}, {"--high", !o.high.empty()},
      {"--bound", o.bound != 0}};
  for (const auto& [name, is_given] : given) {
    const bool needed = std::find(needs.begin(), needs.end(), name) != needs.end();
    const bool taken = std::find(takes.begin(), takes.end(), name) != takes.end();
    require(is_given || !needed,
            fmt::format("--test {} needs {}; `sonder stats --help` has examples", o.test, name));
    require(!is_given || needed || taken,
            fmt::format("--test {} does not use {}; leave it out", o.test, name));
  }
}

Found paired(const StatsOptions& o, const store::Csv& csv) {
  require_options(o, {"--columns"}, {"--bound"});
  require(o.columns.size() == 2,
          fmt::format("--test paired: expected two --columns, found {}", o.columns.size()));
  return {fmt::format("{} − {}, {} pairs", o.columns[1], o.columns[0], csv.n_rows()),
          stats::paired_family(csv.complete(o.columns[0]), csv.complete(o.columns[1]), family_options(o))};
}

Found unpaired(const StatsOptions& o, const store::Csv& csv) {
  require_options(o, {"--value", "--group"}, {"--bound"});
  const auto values = csv.complete(o.value);
  const auto groups = csv.labels(o.group);
  require(groups.names.size() == 2,
          fmt::format("--test unpaired: expected two groups in --group, found {}", groups.names.size()));
  std::vector<double> sides[2];
  for (std::size_t i = 0; i < values.size(); ++i) sides[groups.of_row[i]].push_back(values[i]);
  return {fmt::format("{}: {} ({}) − {} ({})", o.value, groups.names[1], sides[1].size(), groups.names[0],
                      sides[0].size()),
          stats::unpaired_family(sides[0], sides[1], family_options(o))};
}

Found clustered(const StatsOptions& o, const store::Csv& csv) {
  require_options(o, {"--value", "--cluster"});
  const auto clusters = csv.labels(o.cluster);
  return {fmt::format("mean of {}, {} rows in {} clusters", o.value, csv.n_rows(), clusters.names.size()),
          stats::clustered_family(csv.complete(o.value), clusters.of_row, family_options(o))};
}

Found agreement(const StatsOptions& o, const store::Csv& csv) {
  require_options(o, {"--columns"});
  require(o.columns.size() >= 2, "--test agreement: expected two or more --columns, one a rater");
  stats::Ratings ratings(csv.n_rows(), o.columns.size());
  for (std::size_t c = 0; c < o.columns.size(); ++c) {
    const auto values = csv.numbers(o.columns[c]);
    for (std::size_t r = 0; r < values.size(); ++r) ratings.row(r)[c] = values[r];
  }
  const std::map<std::string, stats::Metric> metrics = {{"nominal", stats::Metric::nominal},
                                                        {"ordinal", stats::Metric::ordinal},
                                                        {"interval", stats::Metric::interval},
                                                        {"ratio", stats::Metric::ratio}};
  return {
      fmt::format("agreement of {} raters on {} units, {} scale", o.columns.size(), csv.n_rows(), o.metric),
      stats::agreement_family(ratings, metrics.at(o.metric), family_options(o))};
}

Found roc(const StatsOptions& o, const store::Csv& csv) {
  require_options(o, {"--value", "--label", "--high"}, {"--cluster"});
  const auto scores = csv.complete(o.value);
  const auto labels = csv.labels(o.label);
  const auto at = std::find(labels.names.begin(), labels.names.end(), o.high);
  require(at != labels.names.end(), fmt::format("--high: no row of column '{}' has this label", o.label));
  require(labels.names.size() == 2,
          fmt::format("--test roc: expected two labels in --label, found {}", labels.names.size()));
  std::vector<char> high(scores.size());
  for (std::size_t i = 0; i < high.size(); ++i)
    high[i] = labels.of_row[i] == static_cast<int>(at - labels.names.begin()) ? 1 : 0;
  const std::vector<int> clusters = o.cluster.empty() ? std::vector<int>() : csv.labels(o.cluster).of_row;
  return {fmt::format("{} tells {} from the rest, {} of {} rows", o.value, o.high,
                      std::count(high.begin(), high.end(), 1), high.size()),
          stats::roc_family(scores, high, clusters, family_options(o))};
}

int test_table(const StatsOptions& o, const Global& global) {
  require_file(o.file, "a CSV file", "its first line names the columns");
  const store::Csv csv = store::read_csv(o.file);
  const std::map<std::string, Found (*)(const StatsOptions&, const store::Csv&)> tests = {
      {"paired", paired},
      {"unpaired", unpaired},
      {"clustered", clustered},
      {"agreement", agreement},
      {"roc", roc}};
  const Found found = tests.at(o.test)(o, csv);
  fmt::print("{}", global.json
                       ? report::estimates_json(o.test, found.lines)
                       : report::estimates_text(found.head, found.lines, std::min(terminal_width(), 110)));
  return kDone;
}

}  // namespace

void add_stats(CLI::App& app, const Global& global, Action& action) {
  auto o = std::make_shared<StatsOptions>();
  CLI::App* command = app.add_subcommand("stats", "the statistics of Sonder on a table of your own");
  command->add_option("file", o->file, "a CSV file whose first line names the columns")->required();
  command->add_option("--test", o->test, "paired, unpaired, clustered, agreement or roc")
      ->required()
      ->check(CLI::IsMember({"paired", "unpaired", "clustered", "agreement", "roc"}));
  command->add_option("--columns", o->columns, "paired: before,after; agreement: one column a rater")
      ->delimiter(',');
  command->add_option("--value", o->value, "the column of numbers");
  command->add_option("--group", o->group, "unpaired: the column with two groups");
  command->add_option("--cluster", o->cluster, "clustered, roc: the column whose rows belong together");
  command->add_option("--label", o->label, "roc: the column with two labels");
  command->add_option("--high", o->high, "roc: the label that should score higher");
  command->add_option("--metric", o->metric, "agreement: nominal, ordinal, interval or ratio")
      ->check(CLI::IsMember({"nominal", "ordinal", "interval", "ratio"}))
      ->capture_default_str();
  command->add_option("--bound", o->bound, "paired, unpaired: also test equivalence within ±bound");
  command->add_option("--draws", o->draws, "of the resampling")->capture_default_str();
  command->add_option("--seed", o->seed, "of the resampling")->capture_default_str();
  command->footer(
      "Examples:\n  sonder stats scores.csv --test paired --columns before,after --bound 0.5\n"
      "  sonder stats scores.csv --test clustered --value score --cluster scenario\n"
      "  sonder stats ratings.csv --test agreement --columns ann,bo,cy --metric ordinal\n"
      "  sonder stats scores.csv --test roc --value score --label class --high empathic --cluster scenario\n"
      "docs/stats.md explains what is printed.");
  command->callback([=, &global, &action] { action = [=, &global] { return test_table(*o, global); }; });
}

}  // namespace sonder::cli
