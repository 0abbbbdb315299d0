# Writes the data of TestRelationsOfR, and prints which columns R leaves out and how lm makes them up of the others: the oracle of the test.
# install.packages(c("ggplot2", "sem", "VGAM")); Rscript relations.R
data(msleep, package = "ggplot2"); data(Klein, package = "sem"); data(olym12, package = "VGAM")
for (name in c("klein", "msleep", "olym12")) {
  x <- list(klein = Klein, msleep = as.data.frame(msleep), olym12 = olym12)[[name]]
  x <- x[, sapply(x, is.numeric)]
  x <- x[complete.cases(x), ]
  write.csv(x, paste0(name, ".csv"), row.names = FALSE, quote = FALSE)
  q <- qr(scale(x))
  for (k in q$pivot[-seq_len(q$rank)]) {
    kept <- setdiff(q$pivot[seq_len(q$rank)], k)
    f <- coef(lm(x[[k]] ~ ., x[kept]))
    f <- round(f[abs(f) > 1e-8], 6)
    cat(name, ": ", names(x)[k], " = ", paste(f, names(f), collapse = ", "), "\n", sep = "")
  }
}
