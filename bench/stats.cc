#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>

#include "base/seed.h"
#include "bench.h"
#include "stats/agreement.h"
#include "stats/annotators.h"
#include "stats/mean.h"
#include "stats/mixed.h"
#include "stats/ols.h"
#include "stats/order.h"
#include "stats/reliability.h"

namespace {

using namespace sonder;  // NOLINT(google-build-using-namespace): a program, not a library

using Work = std::function<void()>;

// One estimator on n rows. `prepare` makes the input, which is not timed.
struct Task {
  std::string name;  // with what n is
  double goal;       // seconds
  std::size_t n;
  std::size_t grow_from;  // the growth is from so many rows to ten times as many
  std::string key;        // of bench/reference.py
  std::function<Work(std::size_t)> prepare;
};

double best_of(int times, const Work& work) {
  double best = seconds(work);
  for (int i = 1; i < times; ++i) best = std::min(best, seconds(work));
  return best;
}

// What bench/reference.py says of a task: seconds, and by what.
struct Beside {
  double seconds = 0;
  std::string what;
};
std::optional<Beside> beside(const std::string& key) {
  const char* python = std::getenv("SONDER_REFERENCE");
  if (python == nullptr || key.empty()) return std::nullopt;
  const std::string command =
      fmt::format("'{}' '{}/bench/reference.py' {} 2>/dev/null", python, SONDER_ROOT, key);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) return std::nullopt;
  Beside found;
  char line[256] = "";
  if (std::fgets(line, sizeof line, pipe.get()) == nullptr) return std::nullopt;
  char* rest = nullptr;
  found.seconds = std::strtod(line, &rest);
  found.what = rest;
  while (!found.what.empty() && (found.what.back() == '\n' || found.what.back() == ' '))
    found.what.pop_back();
  if (found.seconds <= 0) return std::nullopt;
  return found;
}

Row measure(const Task& task) {
  const Work work = task.prepare(task.n);
  double ours = best_of(2, work);
  const auto other = beside(task.key);
  ours = std::min(ours, seconds(work));  // after the other too: a slow minute of the machine meets both
  const double small = best_of(3, task.prepare(task.grow_from));
  const double large = best_of(2, task.prepare(10 * task.grow_from));
  std::string remark = fmt::format("ten times the input: {:.1f} times the time", large / small);
  if (other)
    remark += fmt::format("; {:.1f} times as fast as{} ({:.3g} s)", other->seconds / ours, other->what,
                          other->seconds);
  return {task.name, ours, "s", task.goal, "lower", remark};
}

std::vector<double> normals(std::size_t n, double mean = 0) {
  Stream random{Seed(n)};
  std::vector<double> x(n);
  for (double& value : x) value = mean + random.normal();
  return x;
}

Work bca(std::size_t n_clusters) {  // twenty rows each
  std::vector<int> cluster(20 * n_clusters);
  for (std::size_t i = 0; i < cluster.size(); ++i) cluster[i] = static_cast<int>(i % n_clusters);
  return [x = normals(cluster.size()), cluster] { (void)stats::bca_mean(x, cluster, Seed(5), 10000); };
}

Work flips(std::size_t n) {
  return [x = normals(n)] { (void)stats::sign_flip(x, Seed(6), 100000); };
}

Work delong(std::size_t n) {
  return [high = normals(n, .5), low = normals(n + 1)] { (void)stats::delong(high, low); };
}

Work regression(std::size_t n) {  // clusters of 20
  Numbers x(n, 3);
  std::vector<int> cluster(n);
  const auto other = normals(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    x.row(i)[0] = 1;
    x.row(i)[1] = other[i];
    x.row(i)[2] = other[n + i];
    cluster[i] = static_cast<int>(i % (n / 20));
  }
  return [x, cluster, y = normals(n)] { (void)stats::ols(x, y, cluster); };
}

// Raters who know the truth, one of five, with probability .6; the rest is guessed.
int truth_or_guess(Stream& random, int truth) {
  return random.uniform() < .6 ? truth : static_cast<int>(random.below(5));
}

Work alpha(std::size_t n_units) {
  Stream random{Seed(n_units)};
  stats::Ratings ratings(n_units, 10);
  for (std::size_t u = 0; u < n_units; ++u) {
    const int truth = static_cast<int>(random.below(5));
    for (auto& rating : ratings.row(u)) rating = truth_or_guess(random, truth);
  }
  return [ratings] { (void)stats::krippendorff(ratings, stats::Metric::ordinal, Seed(7), 10000); };
}

Work skene(std::size_t n_labels) {
  Stream random{Seed(n_labels)};
  std::vector<stats::Label> labels;
  for (int i = 0; i < static_cast<int>(n_labels / 10); ++i) {
    const int truth = static_cast<int>(random.below(5));
    for (int a = 0; a < 10; ++a)
      labels.push_back({i, static_cast<int>(random.below(100)), truth_or_guess(random, truth)});
  }
  return [labels] { (void)stats::dawid_skene(labels, 5); };
}

Work mixed(std::size_t n_scenarios) {
  Stream random{Seed(n_scenarios)};
  std::vector<double> y;
  std::vector<int> cond;
  std::vector<int> facet;
  std::vector<int> scenario;
  std::vector<int> judge;
  for (std::size_t g = 0; g < n_scenarios; ++g) {
    const double level = random.normal();
    const double slope = .4 + .5 * random.normal();
    for (int cell = 0; cell < 12; ++cell) {
      cond.push_back(cell % 2);
      facet.push_back(cell / 2 % 2);
      judge.push_back(cell / 4);
      scenario.push_back(static_cast<int>(g));
      y.push_back(level + slope * cond.back() + .3 * judge.back() + random.normal());
    }
  }
  return [=] { (void)stats::condition_by_facet(y, {cond, facet, scenario, judge}); };
}

Work tau(std::size_t n) {
  return
      [x = normals(n), y = normals(n + 1)] { (void)stats::kendall_tau_b(x, std::span(y).first(x.size())); };
}

}  // namespace

std::vector<Row> statistics() {
  const Task tasks[] = {
      {"clustered BCa, 10,000 draws, 20,000 rows in 1,000 clusters", 1, 1000, 1000, "bca", bca},
      {"sign flip, 100,000 draws of 200 units", .2, 200, 200, "flips", flips},
      {"DeLong, 10,000 + 10,000", .05, 10000, 10000, "delong", delong},
      {"OLS, CR2, 20,000 rows in 1,000 clusters", .1, 20000, 20000, "ols", regression},
      {"Krippendorff, ordinal, 1,000 units × 10, 10,000 draws", 2, 1000, 100, "alpha", alpha},
      {"Dawid–Skene, 100,000 labels, 5 classes", 1, 100000, 10000, "skene", skene},
      {"mixed model, 100 scenarios × 12", 1, 100, 100, "mixed", mixed},
      {"Kendall's tau-b with its interval, 2,000 pairs", .5, 2000, 200, "tau", tau},
  };
  std::vector<Row> rows;
  for (const Task& task : tasks) rows.push_back(measure(task));
  if (std::getenv("SONDER_REFERENCE") == nullptr)
    fmt::print(
        stderr,
        "no reference environment (tests/data/README.md makes it): nothing to compare the statistics with\n");
  return rows;
}
