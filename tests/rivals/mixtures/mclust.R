# mclust.R fits mixtures of normals with mclust: its default call, timed, then EM from many partitions.
#
#   Rscript mclust.R CASES.json OUT.json
#
# A case has a file, columns, and k; the answer lists solutions with their parameters, on the scale of the data.
suppressMessages(library(mclust))
library(jsonlite)
arguments <- commandArgs(trailingOnly = TRUE)
cases <- fromJSON(arguments[1], simplifyVector = FALSE)
tight <- emControl(eps = 0, tol = c(1e-7, sqrt(.Machine$double.eps)), itmax = c(1000, 100))

solution <- function(fit, d, by) {
  p <- fit$parameters
  if (is.null(p) || any(is.na(unlist(p$mean))) || is.na(fit$loglik)) return(NULL)
  k <- length(p$pro)
  if (k == 0) { p$pro <- 1; k <- 1 }
  sigma <- if (d == 1) rep(p$variance$sigmasq, length.out = k) else p$variance$sigma
  list(by = by, weights = as.numeric(p$pro), mean = t(matrix(p$mean, nrow = d)),
       covariance = lapply(seq_len(k), function(j) if (d == 1) matrix(sigma[j]) else matrix(sigma[, , j], d)))
}

# clock runs f and says how long the processor was busy.
clock <- function(f) {
  before <- proc.time()
  value <- tryCatch(f(), error = function(e) NULL)
  list(value = value, seconds = sum((proc.time() - before)[c("user.self", "sys.self")]))
}

# first is the clustering with which Mclust starts by default, once for all k; of many rows Mclust takes a sample itself.
first <- function(x) {
  if (nrow(x) > mclust.options("subset")) return(list(value = NULL, seconds = 0))
  model <- if (ncol(x) == 1) "V" else mclust.options("hcModelName")
  clock(function() hc(x, modelName = model, use = mclust.options("hcUse")))
}

# trees gives hierarchical clusterings of rows, in several coordinates; they take long for many rows.
trees <- function(x) {
  if (nrow(x) > 1200) return(list())
  if (ncol(x) == 1) return(list(hc(x, modelName = "V"), hc(x, modelName = "E")))
  uses <- if (nrow(x) > 300) c("STD") else c("VARS", "STD", "SPH", "PCS", "PCR")
  models <- c("EII", "EEE", "VII")
  full <- lapply(uses, function(use) tryCatch(hc(x, modelName = "VVV", use = use), error = function(e) NULL))
  simple <- lapply(models, function(model) tryCatch(hc(scale(x), modelName = model), error = function(e) NULL))
  Filter(Negate(is.null), c(full, simple))
}

# partitions gives groups of rows: hierarchical ones, for numbers by quantiles, and random ones.
partitions <- function(x, k, trees, random) {
  found <- lapply(trees, function(tree) hclass(tree, k)[, 1])
  if (ncol(x) == 1) found[[length(found) + 1]] <- mclust:::qclass(x[, 1], k)
  z <- scale(x)
  for (i in seq_len(random)) {
    centres <- z[sample(nrow(z), k), , drop = FALSE]
    distance <- sapply(seq_len(k), function(j) rowSums(sweep(z, 2, centres[j, ])^2))
    found[[length(found) + 1]] <- max.col(-distance)
  }
  found
}

fitted <- function(case, x, tree, trees) {
  set.seed(1)
  d <- ncol(x)
  model <- if (case$k == 1) { if (d == 1) "X" else "XXX" } else if (d == 1) "V" else "VVV"
  start <- if (!is.null(tree$value) && d > 1) list(hcPairs = tree$value)
  called <- clock(function() Mclust(x, G = case$k, modelNames = model, initialization = start, verbose = FALSE))
  fit <- called$value
  seconds <- called$seconds + if (is.null(start)) 0 else tree$seconds
  solutions <- list()
  default <- NULL
  if (!is.null(fit) && !is.null(fit$loglik) && !is.na(fit$loglik)) {
    default <- fit$loglik
    solutions <- list(solution(fit, d, "mclust, default"))
  }
  before <- proc.time()
  if (case$k > 1) for (groups in partitions(x, case$k, trees, case$random)) {
    if (length(unique(groups)) < case$k) next
    fit <- tryCatch(me(x, modelName = model, z = unmap(groups), control = tight), error = function(e) NULL)
    if (!is.null(fit)) solutions[[length(solutions) + 1]] <- solution(fit, d, "mclust, restarts")
  }
  restarts <- sum((proc.time() - before)[c("user.self", "sys.self")])
  list(name = case$name, k = case$k, default = default, seconds = seconds, restart_seconds = restarts, solutions = solutions)
}

last <- ""
x <- tree <- grown <- NULL
answers <- lapply(cases, function(case) {
  if (case$name != last) {
    message("mclust ", case$name)
    x <<- as.matrix(read.csv(case$file, check.names = FALSE)[unlist(case$columns)])
    tree <<- first(x)
    grown <<- c(Filter(Negate(is.null), list(tree$value)), trees(x))
    last <<- case$name
  }
  fitted(case, x, tree, grown)
})
versions <- list(R = as.character(getRversion()), mclust = as.character(packageVersion("mclust")))
write_json(list(versions = versions, answers = answers), arguments[2], digits = NA, auto_unbox = TRUE, null = "null")
