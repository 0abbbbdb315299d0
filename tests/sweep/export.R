# export.R writes the numbers of every data set of every installed R package as CSV, with a header and 15 digits:
#
#   Rscript export.R FOLDER ROWS
#
# Of each data set: NAME-1-COLUMN.csv for each column of numbers, NAME-2.csv, NAME-4.csv and NAME-all.csv for the two and the four
# columns with the most different values and for all of up to 12, and NAME-u2.csv and NAME-u4.csv with their ranks, divided by n + 1, as copulas want them.
# Only rows are taken in which all of these columns are finite, and of them the first ROWS. versions.csv lists the packages.
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
most <- as.integer(arguments[2])
fewest <- 20 # rows

clean <- function(name) gsub("[^A-Za-z0-9]+", "_", name)

# The columns of numbers of whatever a data set is: a vector, a series, a matrix or a frame. Factors and dates are no numbers.
columns <- function(x) {
  if (is.table(x) && length(dim(x)) > 1) return(list())
  if (is.atomic(x) && is.null(dim(x))) x <- list(x = x)
  else if (is.matrix(x)) {
    names <- colnames(x)
    x <- lapply(seq_len(ncol(x)), function(j) x[, j])
    names(x) <- if (is.null(names)) paste0("V", seq_along(x)) else names
  } else if (!is.data.frame(x)) return(list())
  x <- as.list(x)
  numbers <- Filter(function(v) is.numeric(v) && is.null(dim(v)) && (!is.object(v) || is.ts(v)), x)
  lapply(numbers, function(v) as.numeric(v))
}

# Text of a file that has enough rows, in the rows that are complete. A column with one or two values has nothing to fit.
put <- function(name, x, transform = identity) {
  rows <- Reduce(`&`, lapply(x, is.finite))
  x <- lapply(x, function(v) head(v[rows], most))
  if (length(x[[1]]) < fewest || any(vapply(x, function(v) length(unique(v)) < 3, TRUE))) return(invisible())
  lines <- do.call(paste, c(lapply(x, function(v) sprintf("%.15g", transform(v))), sep = ","))
  header <- sub("^([0-9])", "x\\1", make.unique(clean(names(x)))) # numbers alone would be a row
  writeLines(c(paste(header, collapse = ","), lines), file.path(folder, paste0(name, ".csv")))
}

several <- function(name, x) {
  different <- vapply(x, function(v) length(unique(v[is.finite(v)])), 0)
  x <- x[different > 2]
  order <- order(-different[different > 2], seq_along(x))
  ranks <- function(v) rank(v) / (length(v) + 1)
  for (k in c(2, 4)) if (length(x) >= k) {
    chosen <- x[sort(order[seq_len(k)])]
    put(paste0(name, "-", k), chosen)
    put(paste0(name, "-u", k), chosen, ranks)
  }
  if (length(x) > 4 && length(x) <= 12) put(paste0(name, "-all"), x)
}

export <- function(package, item) {
  found <- new.env()
  suppressWarnings(data(list = sub("^.*\\((.*)\\)$", "\\1", item), package = package, envir = found))
  object <- sub(" .*", "", item)
  x <- columns(found[[object]])
  if (length(x) == 0) return(invisible())
  name <- paste(clean(package), clean(object), sep = "-")
  labels <- make.unique(clean(names(x)))
  names(x) <- labels
  for (label in labels) put(paste0(name, "-1-", label), x[label])
  if (length(x) > 1) several(name, x)
}

sets <- data(package = .packages(all.available = TRUE))$results
sets <- unique(sets[, c("Package", "Item")])
sets <- sets[order(sets[, "Package"], sets[, "Item"], method = "radix"), ]
for (i in seq_len(nrow(sets)))
  tryCatch(export(sets[i, "Package"], sets[i, "Item"]), error = function(e) message(sets[i, "Package"], " ", sets[i, "Item"], ": ", conditionMessage(e)))

packages <- unique(sets[, "Package"])
versions <- vapply(packages, function(p) as.character(packageVersion(p)), "")
write.csv(data.frame(package = c("R", packages), version = c(as.character(getRversion()), versions)), file.path(folder, "versions.csv"), row.names = FALSE, quote = FALSE)
