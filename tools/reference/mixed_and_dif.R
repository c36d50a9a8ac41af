# Reference fits for src/stats/mixed_test.cc and dif_test.cc: lme4 + lmerTest, ordinal, stats.
#   Rscript tools/reference/mixed_and_dif.R        (writes tests/data/mixed_rows.txt and dif_rows.txt)
# The figures it prints are those in the tests. Debian: r-cran-lme4 r-cran-lmertest r-cran-ordinal.
suppressMessages({library(lme4); library(lmerTest); library(ordinal)})
set.seed(20261130)
tight <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10))
show <- function(title, m) {
  cat("\n##", title, "\n")
  print(summary(m)$coefficients, digits = 10)
  print(as.data.frame(VarCorr(m)), digits = 10)
  cat(sprintf("criterion %.8f\n", REMLcrit(m)))
}

# 24 scenarios, 3 conditions, 2 facets, 4 judges, some rows missing.
d <- expand.grid(judge = 0:3, facet = 0:1, cond = 0:2, scenario = 0:23)
slope <- cbind(rnorm(24, 0, .5), rnorm(24, 0, .7))
d$y <- 3 + rnorm(24, 0, 1)[d$scenario + 1] + rnorm(4, 0, .6)[d$judge + 1] + .5 * (d$cond == 1) + .9 * (d$cond == 2) -
  .3 * d$facet + .4 * (d$cond == 2) * d$facet + (d$cond == 1) * slope[d$scenario + 1, 1] +
  (d$cond == 2) * slope[d$scenario + 1, 2] + rnorm(nrow(d), 0, .8)
d <- d[runif(nrow(d)) > .1, ]
d$y <- round(d$y, 3)
write.table(d[, c("y", "cond", "facet", "scenario", "judge")], "tests/data/mixed_rows.txt", row.names = FALSE,
            col.names = FALSE)
f <- transform(d, cond = factor(cond), facet = factor(facet))
show("condition by facet", lmer(y ~ cond * facet + (1 + cond | scenario) + (1 | judge), f, control = tight))
show("intercepts only", lmer(y ~ cond * facet + (1 | scenario) + (1 | judge), f, control = tight))
g <- transform(f, b = as.numeric(cond == 1))
show("no correlation", lmer(y ~ b + (1 + b || scenario), g, control = tight))

# 400 answers on 0..3, DIF in the middle of the scale.
n <- 400
ability <- round(rnorm(n, 10, 3), 1)
focal <- rbinom(n, 1, .4)
z <- (ability - 10) / 3
score <- findInterval(z + .6 * focal - .3 * focal * z + rlogis(n), c(-1.5, 0, 1.5))
stratum <- pmin(4, pmax(0, floor((ability - 4) / 3)))
w <- data.frame(score, ability, focal, stratum)
write.table(w, "tests/data/dif_rows.txt", row.names = FALSE, col.names = FALSE)
w$a <- (ability - mean(ability)) / sd(ability)
w$s <- ordered(score)
m1 <- clm(s ~ a, data = w); m2 <- clm(s ~ a + focal, data = w); m3 <- clm(s ~ a * focal, data = w)
print(summary(m2)$coefficients, digits = 10)
print(summary(m3)$coefficients, digits = 10)
m0 <- clm(s ~ 1, data = w)
cat(sprintf("logLik %.8f %.8f %.8f %.8f\n", logLik(m0), logLik(m1), logLik(m2), logLik(m3)))
print(mantelhaen.test(table(right = 1 - (score >= 2), focal, stratum)), digits = 10)
mh <- mantelhaen.test(table(wrong = score < 2, focal, stratum))
cat(sprintf("%.9f %.9f %.9f %.9f %.9f\n", mh$estimate, mh$conf.int[1], mh$conf.int[2], mh$statistic, mh$p.value))
