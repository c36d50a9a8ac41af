# Reference figures of agreement_test.cc and reliability_test.cc: R 4.2, psych 2.2.9, stats. Run: Rscript raters.R
suppressMessages(library(psych))
x <- matrix(c(9,2,5,8, 6,1,3,2, 8,4,6,8, 7,1,2,6, 10,5,6,9, 6,2,4,7), 6, byrow = TRUE)
print(ICC(x, lmer = FALSE)$results[, c(2, 6, 7, 8)], digits = 10)
a <- c(1, 5, 3, 2, 8, 7, 4, 9, 6, 10); b <- c(2, 4, 1, 3, 9, 8, 5, 7, 6, 10)
print(unlist(cor.test(a, b, method = "kendall")[c("estimate", "p.value")]), digits = 10)
