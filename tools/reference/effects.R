# Data sets and second opinions for the goldens of src/stats, from R's own packages. Prints what the tests state.
#   Debian: r-base-core r-cran-sandwich r-cran-proc
#   Rscript tools/reference/effects.R tests/data
library(sandwich)
suppressPackageStartupMessages(library(pROC))
out <- commandArgs(trailingOnly = TRUE)[1]
options(digits = 12)

data(PetersenCL)
p <- PetersenCL
write.table(data.frame(p$firm, p$year, sprintf("%.9g", p$x), sprintf("%.9g", p$y)), file.path(out, "petersen.txt"),
            row.names = FALSE, col.names = FALSE, quote = FALSE)
fit <- lm(y ~ x, p)
cat("M30 slope and its errors: OLS, by firm, by year, both\n")
print(coef(summary(fit))[2, 1:2])
for (way in list(~firm, ~year, ~firm + year)) print(sqrt(vcovCL(fit, way)[2, 2]))

data(aSAH)
a <- aSAH
write.table(data.frame(as.integer(a$outcome == "Poor"), as.integer(a$wfns), a$s100b, a$ndka), file.path(out, "asah.txt"),
            row.names = FALSE, col.names = FALSE, quote = FALSE)
wfns <- roc(a$outcome, as.numeric(a$wfns), quiet = TRUE)
s100b <- roc(a$outcome, a$s100b, quiet = TRUE)
cat("M7 b, paired and unpaired\n")
print(c(auc(wfns), auc(s100b), cov = cov(wfns, s100b)))
paired <- roc.test(wfns, s100b)
apart <- suppressWarnings(roc.test(wfns, s100b, paired = FALSE))
print(c(paired$statistic, p = paired$p.value))
print(c(apart$statistic, apart$parameter, p = apart$p.value))

cat("M21, and power at n = 20\n")
for (type in c("two.sample", "paired")) {
  print(power.t.test(delta = .5, sd = 1, power = .8, type = type)$n)
  print(power.t.test(n = 20, delta = .5, sd = 1, type = type, strict = TRUE)$power)
}
cat("M18, M19\n")
print(c(mcnemar.test(matrix(c(0, 86, 150, 0), 2), correct = FALSE)$statistic,
        mcnemar.test(matrix(c(0, 86, 150, 0), 2))$statistic, binom.test(150, 236)$p.value))
print(c(binom.test(682, 925, .75)$p.value, binom.test(682, 925, .75)$conf.int, binom.test(60, 100)$p.value))
