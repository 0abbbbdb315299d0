# oracle.R writes the designs of the cases as numbers, and fits them with packages of R.
#
#   Rscript oracle.R CASES.csv DATA FOLDER ANSWERS.json
#
# DATA has what statsmodels and lifelines ship (oracle.py). FOLDER gets a file for each case: the response, what is given beside, and the columns
# of the predictors. The answers are log-likelihoods, iterations and times of R's functions.
suppressPackageStartupMessages({
  library(jsonlite); library(MASS); library(survival); library(pscl); library(ordinal); library(nnet)
})
arguments <- commandArgs(trailingOnly = TRUE)
cases <- read.csv(arguments[1], stringsAsFactors = FALSE)

from <- function(package, item) {
  e <- new.env()
  data(list = item, package = package, envir = e)
  as.data.frame(e[[item]])
}

sets <- list(
  quine = function() quine,
  epil = function() transform(epil, row = factor(seq_len(nrow(epil)))),
  NMES1988 = function() from("AER", "NMES1988"),
  DoctorVisits = function() from("AER", "DoctorVisits"),
  bioChemists = function() from("pscl", "bioChemists"),
  RecreationDemand = function() from("AER", "RecreationDemand"),
  birthwt = function() birthwt,
  stackloss = function() stackloss,
  airquality = function() na.omit(airquality),
  lung = function() transform(lung, event = status - 1)[c("time", "event", "age", "sex", "ph.ecog")],
  veteran = function() transform(veteran, event = status),
  colon = function() transform(subset(colon, etype == 2), event = status)[c("time", "event", "rx", "sex", "age", "nodes", "extent")],
  swiss = function() swiss,
  iris = function() iris,
  tobin = function() survival::tobin,
  Affairs = function() from("AER", "Affairs"),
  wine = function() ordinal::wine,
  housing = function() { h <- MASS::housing; h[rep(seq_len(nrow(h)), h$Freq), ] })

table_of <- function(set) {
  d <- if (is.null(sets[[set]])) read.csv(file.path(arguments[2], paste0(set, ".csv"))) else sets[[set]]()
  na.omit(d)
}

# design has the numbers of a case: response, what is given beside, covariates.
design <- function(case, d) {
  y <- d[[case$response]]
  out <- data.frame(y = if (is.factor(y)) as.integer(y) else as.numeric(y))
  if (case$given != "") out$event <- as.numeric(d[[case$given]])
  x <- model.matrix(as.formula(paste("~", case$x)), d)
  if (case$spec == "ordinal") x <- x[, -1, drop = FALSE]
  colnames(x) <- paste0("x", seq_len(ncol(x)))
  out <- cbind(out, x)
  if (case$z != "") {
    z <- model.matrix(as.formula(paste("~", case$z)), d)
    colnames(z) <- paste0("z", seq_len(ncol(z)))
    out <- cbind(out, z)
  }
  out
}

# timed repeats a call until half a second has gone by: the least time counts.
timed <- function(call) {
  least <- Inf; begun <- proc.time()[["elapsed"]]; value <- NULL
  repeat {
    t <- system.time(value <- suppressWarnings(call()))
    least <- min(least, t[["user.self"]] + t[["sys.self"]])
    if (proc.time()[["elapsed"]] - begun > 0.5) break
  }
  list(value = value, seconds = least)
}

# Those of glm.nb are of its last call of glm alone.
iterations <- function(fit) {
  if (inherits(fit, "zeroinfl")) return(sum(unlist(fit$optim$counts), na.rm = TRUE))
  if (inherits(fit, "clm")) return(fit$niter[[1]])
  if (inherits(fit, c("negbin", "multinom"))) return(-1)
  fit$iter
}

# bad are coefficients that make predictors of this size, whatever the columns are: those of oracle.go, with other random numbers.
bad <- function(x, size) size * solve(chol(crossprod(x) / nrow(x)), rnorm(ncol(x)))

# from_bad is how many of 20 bad starts lead to the maximum.
from_bad <- function(case, d, call, best) {
  set.seed(1)
  x <- model.matrix(as.formula(paste("~", case$x)), d)
  if (case$rival == "clm") x <- x[, -1, drop = FALSE]
  y <- d[[case$response]]
  size <- if (case$spec == "tobit") 5 * sd(y) else if (case$rival == "survreg") 5 * sd(log(y)) else 2
  sum(sapply(1:20, function(i) {
    b <- bad(x, size)
    more <- switch(case$rival,
      glm = list(start = b), glm.nb = list(start = b, init.theta = exp(rnorm(1))), survreg = list(init = b),
      multinom = list(Wts = c(rep(0, length(b) + 1), unlist(lapply(seq_len(nlevels(y) - 1), function(i) c(0, if (i == 1) b else bad(x, size)))))),
      clm = list(start = c(seq_len(nlevels(d[[case$response]]) - 1) - mean(as.integer(d[[case$response]])), b)),
      zeroinfl = list(start = c(list(count = b, zero = bad(model.matrix(as.formula(paste("~", case$z)), d), 2)),
        if (case$spec == "zinb") list(theta = exp(rnorm(1))))))
    call <- as.call(c(as.list(call), more))
    fit <- try(suppressWarnings(eval(call, list(d = d))), silent = TRUE)
    !inherits(fit, "try-error") && isTRUE(as.numeric(logLik(fit)) > best - 1e-4)
  }))
}

answers <- list()
for (k in seq_len(nrow(cases))) {
  case <- as.list(cases[k, ])
  d <- table_of(case$set)
  write.csv(format(design(case, d), digits = 17, trim = TRUE), file.path(arguments[3], paste0(case$name, ".csv")), row.names = FALSE, quote = FALSE)
  answer <- list(name = case$name, n = nrow(d))
  if (case$call != "") {
    call <- parse(text = case$call)[[1]]
    run <- timed(function() eval(call, list(d = d)))
    answer$log_likelihood <- as.numeric(logLik(run$value))
    answer$iterations <- iterations(run$value)
    answer$seconds <- run$seconds
    answer$from_bad <- from_bad(case, d, call, answer$log_likelihood)
  }
  answers[[k]] <- answer
  message(case$name)
}
versions <- list(R = paste(R.version$major, R.version$minor, sep = "."), date = as.character(Sys.Date()))
for (p in c("MASS", "survival", "pscl", "ordinal", "AER", "nnet")) versions[[p]] <- as.character(packageVersion(p))
write(toJSON(list(versions = versions, answers = answers), auto_unbox = TRUE, digits = 15, pretty = TRUE), arguments[4])
