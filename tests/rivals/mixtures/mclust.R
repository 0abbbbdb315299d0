# mclust.R fits mixtures of normals with mclust: its default call, timed, then EM from many partitions.
#
#   Rscript mclust.R CASES.json OUT.json
#
# A case has a file, columns, and k; the answer lists solutions with their parameters, on the scale of the data.
suppressMessages(library(mclust))
library(jsonlite)
arguments <- commandArgs(trailingOnly = TRUE)
cases <- fromJSON(arguments[1], simplifyVector = FALSE)
tight <- emControl(eps = 0, tol = c(1e-9, sqrt(.Machine$double.eps)), itmax = c(3000, 100))

solution <- function(fit, d, by) {
  p <- fit$parameters
  if (is.null(p) || any(is.na(unlist(p$mean))) || is.na(fit$loglik)) return(NULL)
  k <- length(p$pro)
  if (k == 0) { p$pro <- 1; k <- 1 }
  sigma <- if (d == 1) rep(p$variance$sigmasq, length.out = k) else p$variance$sigma
  list(by = by, weights = as.numeric(p$pro), mean = t(matrix(p$mean, nrow = d)),
       covariance = lapply(seq_len(k), function(j) if (d == 1) matrix(sigma[j]) else matrix(sigma[, , j], d)))
}

# partitions gives groups of rows: hierarchical ones in several coordinates, and random ones.
partitions <- function(x, k, random) {
  found <- list()
  if (ncol(x) > 1 && nrow(x) <= 2000) {
    for (use in c("VARS", "STD", "SPH", "PCS", "PCR", "SVD")) {
      tree <- tryCatch(hc(x, modelName = "VVV", use = use), error = function(e) NULL)
      if (!is.null(tree)) found[[length(found) + 1]] <- hclass(tree, k)[, 1]
    }
    for (model in c("EII", "EEE", "VII")) {
      tree <- tryCatch(hc(scale(x), modelName = model), error = function(e) NULL)
      if (!is.null(tree)) found[[length(found) + 1]] <- hclass(tree, k)[, 1]
    }
  }
  if (ncol(x) == 1) {
    found[[1]] <- mclust:::qclass(x[, 1], k)
    tree <- tryCatch(hc(x, modelName = "V"), error = function(e) NULL)
    if (!is.null(tree)) found[[2]] <- hclass(tree, k)[, 1]
  }
  z <- scale(x)
  for (i in seq_len(random)) {
    centres <- z[sample(nrow(z), k), , drop = FALSE]
    distance <- sapply(seq_len(k), function(j) rowSums(sweep(z, 2, centres[j, ])^2))
    found[[length(found) + 1]] <- max.col(-distance)
  }
  found
}

fitted <- function(case) {
  set.seed(1)
  x <- as.matrix(read.csv(case$file, check.names = FALSE)[unlist(case$columns)])
  d <- ncol(x)
  model <- if (case$k == 1) { if (d == 1) "X" else "XXX" } else if (d == 1) "V" else "VVV"
  before <- proc.time()
  fit <- tryCatch(Mclust(x, G = case$k, modelNames = model, verbose = FALSE), error = function(e) NULL)
  seconds <- sum((proc.time() - before)[c("user.self", "sys.self")])
  solutions <- list()
  default <- NULL
  if (!is.null(fit) && !is.null(fit$loglik) && !is.na(fit$loglik)) {
    default <- fit$loglik
    solutions <- list(solution(fit, d, "mclust, default"))
  }
  before <- proc.time()
  if (case$k > 1) for (groups in partitions(x, case$k, case$random)) {
    if (length(unique(groups)) < case$k) next
    fit <- tryCatch(me(x, modelName = model, z = unmap(groups), control = tight), error = function(e) NULL)
    if (!is.null(fit)) solutions[[length(solutions) + 1]] <- solution(fit, d, "mclust, restarts")
  }
  restarts <- sum((proc.time() - before)[c("user.self", "sys.self")])
  list(name = case$name, k = case$k, default = default, seconds = seconds, restart_seconds = restarts, solutions = solutions)
}

answers <- lapply(cases, function(case) {
  message("mclust ", case$name, " k=", case$k)
  fitted(case)
})
versions <- list(R = as.character(getRversion()), mclust = as.character(packageVersion("mclust")))
write_json(list(versions = versions, answers = answers), arguments[2], digits = NA, auto_unbox = TRUE, null = "null")
