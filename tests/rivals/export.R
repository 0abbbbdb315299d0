# export.R writes data sets of R packages as CSV: complete rows of the named columns, with every digit.
#
#   Rscript export.R SETS.csv FOLDER
#
# A vector or time series has one column, x.
arguments <- commandArgs(trailingOnly = TRUE)
sets <- read.csv(arguments[1], colClasses = "character")
sets <- sets[startsWith(sets$package, "R:"), ]

frame <- function(x) {
  if (is.null(dim(x))) return(data.frame(x = as.numeric(x)))
  if (is.ts(x)) x <- unclass(x)
  if (is.matrix(x) && is.null(colnames(x))) colnames(x) <- paste0("V", seq_len(ncol(x)))
  as.data.frame(x)
}

export <- function(s) {
  found <- new.env()
  data(list = s$item, package = sub("^R:", "", s$package), envir = found)
  x <- frame(found[[s$object]])
  names(x) <- make.names(names(x))
  x <- na.omit(x[strsplit(s$columns, " ")[[1]]])
  text <- as.data.frame(lapply(x, function(v) formatC(as.numeric(v), digits = 15, width = 1, format = "g")), check.names = FALSE)
  file <- file.path(arguments[2], paste0(s$name, ".csv"))
  write.csv(text, paste0(file, ".part"), row.names = FALSE, quote = FALSE)
  file.rename(paste0(file, ".part"), file)
}

for (i in seq_len(nrow(sets)))
  tryCatch(export(sets[i, ]), error = function(e) message(sets$name[i], ": ", conditionMessage(e)))
