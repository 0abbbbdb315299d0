# sn.R fits skew-normal and skew-t distributions by maximum likelihood with the package sn: its default call, timed, and
# from several starts, without penalty.
#
#   Rscript sn.R CASES.json OUT.json
#
# Slants are eta = alpha/omega, on the scale of the data.
suppressMessages(library(sn))
library(jsonlite)
arguments <- commandArgs(trailingOnly = TRUE)
cases <- fromJSON(arguments[1], simplifyVector = FALSE)

end <- function(logL, xi, Omega, alpha, nu = NULL) {
  Omega <- as.matrix(Omega)
  list(log_likelihood = logL, xi = as.numeric(xi), Omega = Omega, eta = as.numeric(alpha)/sqrt(diag(Omega)), nu = nu)
}

normal <- function(y, start = NULL) {
  if (ncol(y) == 1) {
    cp <- if (is.null(start)) NULL else c(mean(y), sd(y), start)
    f <- sn.mple(y = y[, 1], cp = cp, penalty = NULL)
    dp <- cp2dp(f$cp, "SN")
    return(end(f$logL, dp[1], dp[2]^2, dp[3]))
  }
  f <- msn.mle(y = y, start = start)
  end(f$logL, f$dp$beta, f$dp$Omega, f$dp$alpha)
}

student <- function(y, start = NULL) {
  if (ncol(y) == 1) {
    f <- st.mple(y = y[, 1], dp = start, penalty = NULL)
    return(end(f$logL, f$dp[1], f$dp[2]^2, f$dp[3], f$dp[4]))
  }
  f <- mst.mple(y = y, start = start, penalty = NULL)
  end(f$logL, f$dp$beta, f$dp$Omega, f$dp$alpha, f$dp$nu)
}

# starts gives arguments for normal and student: slants of any direction, with location and scale that match the moments.
starts <- function(y, count, nu) {
  d <- ncol(y)
  S <- var(y)
  lapply(seq_len(count), function(i) {
    a <- rnorm(d)
    a <- a/sqrt(sum(a^2))*exp(runif(1, 0, 3))
    if (d == 1 && is.null(nu)) return(runif(1, -0.95, 0.95))
    root <- t(chol(S))
    delta <- as.numeric(root %*% a)/sqrt(1 + sum(a^2))
    eta <- solve(t(root), a)
    if (d == 1) return(c(mean(y) - 0.8*delta, sd(y), a, nu))
    list(beta = matrix(colMeans(y) - 0.8*delta, 1), Omega = S, alpha = as.numeric(eta*sqrt(diag(S))), nu = nu)
  })
}

timed <- function(f) {
  before <- proc.time()
  value <- tryCatch({
    setTimeLimit(elapsed = 60, transient = TRUE)
    f()
  }, error = function(e) NULL)
  setTimeLimit(elapsed = Inf)
  list(value = value, seconds = sum((proc.time() - before)[c("user.self", "sys.self")]))
}

fitted <- function(case, fit, count, nu) {
  set.seed(1)
  y <- as.matrix(read.csv(case$file, check.names = FALSE))
  default <- timed(function() fit(y))
  others <- lapply(starts(y, count, nu), function(s) timed(function() fit(y, s)))
  ends <- Filter(function(e) !is.null(e) && all(is.finite(unlist(e))), c(list(default$value), lapply(others, `[[`, "value")))
  list(default = default$value$log_likelihood, seconds = default$seconds,
       restart_seconds = sum(vapply(others, `[[`, 0, "seconds")), ends = ends)
}

answers <- lapply(cases, function(case) {
  message("sn ", case$name)
  list(name = case$name,
       normal = suppressWarnings(fitted(case, normal, case$normal_starts, NULL)),
       t = suppressWarnings(fitted(case, student, case$t_starts, 5)))
})
versions <- list(R = as.character(getRversion()), sn = as.character(packageVersion("sn")))
write_json(list(versions = versions, answers = answers), arguments[2], digits = NA, auto_unbox = TRUE, null = "null")
