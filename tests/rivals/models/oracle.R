# oracle.R writes the data sets as CSV, and asks packages of R for likelihoods and estimates of the models.
#
#   Rscript oracle.R data FOLDER
#   Rscript oracle.R fit FOLDER ANSWERS.json [NAME ...]
#
# Every maximum is found a second time, from the rival's estimates: by nlminb and Newton's method on a likelihood written here, with
# differences that numDeriv extrapolated, in coordinates in which the second derivatives are the identity.
invisible(Sys.setlocale("LC_COLLATE", "C"))
suppressPackageStartupMessages({
  library(jsonlite); library(MASS); library(lme4); library(ordinal); library(nnet); library(VGAM); library(numDeriv); library(statmod)
})
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[2]

wide <- function(d, value, group, time) {
  w <- reshape(d[c(value, group, time)], idvar = group, timevar = time, direction = "wide")
  setNames(w[-1], make.names(sub(paste0(value, "."), "", names(w)[-1], fixed = TRUE)))
}
sets <- list(
  wine = function() ordinal::wine, # VGAM has another one
  housing = function() housing,
  verbagg = function() wide(transform(VerbAgg, y = as.integer(r2 == "Y")), "y", "id", "item")[1:10],
  eyes = function() {
    x <- as.data.frame(matrix(apply(HairEyeColor, c(1, 3, 2), sum), ncol = 4, dimnames = list(NULL, dimnames(HairEyeColor)$Eye)))
    cbind(x, all = rowSums(x))
  },
  judges = function() USJudgeRatings,
  sleepwide = function() wide(sleepstudy, "Reaction", "Subject", "Days"),
  cbppwide = function() {
    complete <- merge(expand.grid(herd = levels(cbpp$herd), period = levels(cbpp$period)), cbpp, all.x = TRUE)
    complete[is.na(complete)] <- 0
    complete <- complete[order(as.integer(complete$herd), complete$period), ]
    y <- wide(complete, "incidence", "herd", "period")
    n <- wide(complete, "size", "herd", "period")
    cbind(setNames(y, paste0("y", 1:4)), setNames(n, paste0("n", 1:4)))
  },
  sleepstudy = function() sleepstudy,
  cbpp = function() transform(cbpp, trials = size),
  epil = function() epil[c("y", "subject", "lbase", "trt", "lage", "V4")],
  mtcars = function() as.data.frame(scale(mtcars)),
  nile = function() data.frame(volume = as.numeric(Nile)),
  daxyear = function() data.frame(dax = head(round(100 * diff(log(as.numeric(EuStockMarkets[, "DAX"]))), 4), 250)))

read <- function(set) read.csv(file.path(folder, paste0(set, ".csv")), stringsAsFactors = TRUE)

# The models: the data set, the call of the rival, its estimates by the names and in the order of the spec, and the likelihood.
softplus <- function(x) ifelse(x > 0, x, 0) + log1p(exp(-abs(x)))
cumulative <- function(y, c, eta, w) {
  upper <- plogis(c(c, Inf)[y] - eta)
  lower <- plogis(c(-Inf, c)[y] - eta)
  sum(w * log(upper - lower))
}
errors <- function(fit) sqrt(diag(as.matrix(vcov(fit))))
models <- list(
  wine = list(set = "wine", call = quote(clm(factor(rating) ~ temp + contact, data = d)), lengths = c(c = 4, beta = 2),
    estimates = coef, errors = errors, log_likelihood = logLik,
    likelihood = function(d) {
      X <- model.matrix(~ temp + contact, d)[, -1]
      function(u) cumulative(d$rating, u[1:4], as.numeric(X %*% u[5:6]), 1)
    }),
  housing = list(set = "housing", lengths = c(c = 2, beta = 6),
    call = quote(polr(factor(Sat, c("Low", "Medium", "High")) ~ Infl + Type + Cont, data = d, weights = Freq, Hess = TRUE, control = list(reltol = 1e-15))),
    estimates = function(f) c(f$zeta, f$coefficients), errors = function(f) errors(f)[c(7:8, 1:6)], log_likelihood = logLik,
    likelihood = function(d) {
      X <- model.matrix(~ Infl + Type + Cont, d)[, -1]
      y <- as.integer(factor(d$Sat, c("Low", "Medium", "High")))
      function(u) cumulative(y, u[1:2], as.numeric(X %*% u[3:8]), d$Freq)
    }),
  "housing, nominal" = list(set = "housing", lengths = c(B = 14),
    call = quote(multinom(relevel(Sat, "Medium") ~ Infl + Type + Cont, data = d, weights = Freq, trace = FALSE, reltol = 1e-15, maxit = 1000)),
    estimates = function(f) as.numeric(t(coef(f))), errors = function(f) as.numeric(t(summary(f)$standard.errors)), log_likelihood = logLik,
    likelihood = function(d) {
      X <- model.matrix(~ Infl + Type + Cont, d)
      y <- as.integer(d$Sat)
      function(u) {
        eta <- cbind(X %*% u[1:7], X %*% u[8:14], 0)
        sum(d$Freq * (eta[cbind(seq_along(y), y)] - log(rowSums(exp(eta)))))
      }
    }),
  verbagg = list(set = "verbagg", lengths = c(a = 10, b = 10), call = quote(nlminb(c(rep(1, 10), -qlogis(colMeans(d))), function(u) -f(u))),
    estimates = function(f) f$par, errors = function(f) rep(NA, 20), log_likelihood = function(f) -f$objective,
    likelihood = function(d) {
      q <- gauss.quad.prob(40, "normal")
      Y <- as.matrix(d)
      function(u) {
        eta <- outer(q$nodes, u[1:10]) - rep(u[11:20], each = 40)
        sum(log(exp(Y %*% t(eta) - rep(rowSums(softplus(eta)), each = nrow(Y))) %*% q$weights))
      }
    }),
  eyes = list(set = "eyes", lengths = c(alpha = 3, last = 1),
    call = quote(vglm(cbind(Brown, Blue, Hazel, Green) ~ 1, dirmultinomial(zero = NULL), data = d, epsilon = 1e-12, maxit = 200)),
    estimates = function(f) {
      p <- as.numeric(fitted(f)[1, ])
      phi <- plogis(coef(f)[4])
      p * (1 - phi) / phi
    }, errors = function(f) rep(NA, 4), log_likelihood = function(f) NA,
    likelihood = function(d) {
      Y <- as.matrix(d[1:4])
      function(a) {
        n <- rowSums(Y)
        sum(lgamma(n + 1) - rowSums(lgamma(Y + 1)) + lgamma(sum(a)) - lgamma(n + sum(a)) +
          rowSums(lgamma(Y + rep(a, each = nrow(Y))) - rep(lgamma(a), each = nrow(Y))))
      }
    }),
  judges = list(set = "judges", lengths = c(mu = 12, sigma2 = 12),
    call = quote(factanal(d, 2, control = list(opt = list(maxit = 1000, factr = 10)))),
    estimates = function(f) c(colMeans(judged), f$uniquenesses * apply(judged, 2, var) * (nrow(judged) - 1) / nrow(judged)), errors = function(f) rep(NA, 24),
    log_likelihood = function(f) {
      n <- nrow(judged)
      s <- sqrt(apply(judged, 2, var) * (n - 1) / n)
      L <- s * unclass(loadings(f))
      normal(judged, colMeans(judged), L %*% t(L) + diag(f$uniquenesses * s^2))
    }, # the loadings are determined up to a rotation: the second factor has none on the first column
    start = function(f, d) {
      n <- nrow(d)
      L <- sqrt(apply(d, 2, var) * (n - 1) / n) * unclass(loadings(f))
      L <- L %*% qr.Q(qr(t(L[1:2, ])))
      c(colMeans(d), f$uniquenesses * apply(d, 2, var) * (n - 1) / n, L[, 1], L[-1, 2])
    },
    likelihood = function(d) {
      assign("judged", as.matrix(d), globalenv())
      function(u) {
        L <- cbind(u[25:36], c(0, u[37:47]))
        if (any(u[13:24] <= 0)) return(-Inf)
        normal(judged, u[1:12], L %*% t(L) + diag(u[13:24]))
      }
    }),
  sleepslopes = list(set = "sleepwide", lengths = c(beta = 2, G = 4, sigma2 = 1), entries = c(1:4, 4:6), long = "sleepstudy",
    call = quote(lmer(Reaction ~ Days + (Days | Subject), data = long, REML = FALSE, control = tight)),
    estimates = function(f) {
      v <- VarCorr(f)$Subject
      c(fixef(f), v[1, 1], v[1, 2], v[2, 2], sigma(f)^2)
    }, errors = function(f) c(errors(f), rep(NA, 4)), log_likelihood = logLik,
    likelihood = function(d) {
      Y <- as.matrix(d)
      t <- 0:9
      function(u) {
        Z <- cbind(1, t)
        normal(Y, u[1] + u[2] * t, Z %*% matrix(u[c(3, 4, 4, 5)], 2) %*% t(Z) + u[6] * diag(10))
      }
    }),
  herds = list(set = "cbppwide", lengths = c(beta = 4, tau = 1), long = "cbpp",
    call = quote(glmer(cbind(incidence, size - incidence) ~ period + (1 | herd), data = transform(long, period = factor(period)), family = binomial,
      nAGQ = 25, control = glmerControl(optimizer = "bobyqa", optCtrl = list(rhobeg = 1e-3, rhoend = 1e-9)))),
    estimates = function(f) c(fixef(f), sqrt(VarCorr(f)$herd[1])), errors = function(f) c(errors(f), NA), log_likelihood = function(f) NA,
    likelihood = function(d) {
      q <- gauss.quad.prob(60, "normal")
      y <- as.matrix(d[1:4])
      n <- as.matrix(d[5:8])
      function(u) {
        eta <- outer(u[5] * q$nodes, u[1] + c(0, u[2:4]), "+")
        l <- y %*% t(eta) - n %*% t(softplus(eta))
        sum(log(exp(l) %*% q$weights)) + sum(lchoose(n, y))
      }
    }))
tight <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10, maxfun = 1e5))
normal <- function(Y, mu, S) {
  R <- tryCatch(chol(S), error = function(e) NULL)
  if (is.null(R)) return(-Inf)
  z <- backsolve(R, t(Y) - mu, transpose = TRUE)
  -length(Y) * log(2 * pi) / 2 - nrow(Y) * sum(log(diag(R))) - sum(z^2) / 2
}

# maximum is that of a likelihood near a point.
maximum <- function(f, u, n) {
  loss <- function(u) -f(u) / n
  u <- nlminb(u, loss, control = list(rel.tol = 1e-15, x.tol = 1e-13, eval.max = 1e4, iter.max = 1e4))$par
  steps <- list(eps = 1e-3)
  back <- solve(chol(hessian(loss, u)))
  for (i in 1:6) {
    near <- function(w) loss(u + as.numeric(back %*% w))
    step <- -as.numeric(solve(hessian(near, 0 * u, method.args = steps), grad(near, 0 * u, method.args = steps)))
    u <- u + as.numeric(back %*% step)
    if (sqrt(sum(step^2) * n) < 1e-8) break
  }
  near <- function(w) loss(u + as.numeric(back %*% w))
  list(u = u, value = f(u), errors = sqrt(diag(back %*% solve(hessian(near, 0 * u, method.args = steps)) %*% t(back)) / n))
}

named <- function(u, lengths) {
  ends <- cumsum(lengths)
  lapply(setNames(seq_along(lengths), names(lengths)), function(i) I(as.numeric(u[(ends[i] - lengths[i] + 1):ends[i]])))
}

ask <- function(name) {
  m <- models[[name]]
  d <- read(m$set)
  f <- m$likelihood(d)
  envir <- list2env(list(d = d, f = f, long = if (!is.null(m$long)) read(m$long)), envir = globalenv()) # where functions look for them
  fit <- suppressWarnings(eval(m$call, envir))
  once <- sum(system.time(suppressWarnings(eval(m$call, envir)))[1:2])
  n <- max(1, min(50, ceiling(0.3 / max(once, 1e-3))))
  seconds <- min(replicate(3, sum(system.time(for (i in 1:n) suppressWarnings(eval(m$call, envir)))[1:2]) / n))
  at <- as.numeric(m$estimates(fit))
  top <- maximum(f, if (is.null(m$start)) at else as.numeric(m$start(fit, d)), if (is.null(d$Freq)) nrow(d) else sum(d$Freq))
  known <- if (is.null(m$entries)) 1:sum(m$lengths) else m$entries # of a symmetric matrix one half is estimated
  value <- as.numeric(m$log_likelihood(fit))
  list(name = name, n = nrow(d), call = paste(deparse(m$call, width.cutoff = 500), collapse = " "), seconds = seconds,
       log_likelihood = if (is.na(value)) f(at) else value, parameters = named(at[known], m$lengths),
       standard_errors = named(as.numeric(m$errors(fit))[known], m$lengths),
       maximum = list(log_likelihood = top$value, parameters = named(top$u[known], m$lengths), standard_errors = named(top$errors[known], m$lengths)))
}

if (arguments[1] == "data") {
  for (name in names(sets)) write.csv(sets[[name]](), file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
} else {
  versions <- list(R = paste(R.version$major, R.version$minor, sep = "."), date = as.character(Sys.Date()))
  for (p in c("MASS", "lme4", "ordinal", "nnet", "VGAM", "numDeriv", "statmod")) versions[[p]] <- as.character(packageVersion(p))
  chosen <- if (length(arguments) > 3) arguments[-(1:3)] else names(models)
  answers <- list()
  for (name in chosen) {
    message(name)
    answers[[length(answers) + 1]] <- ask(name)
  }
  write_json(list(versions = versions, answers = answers), arguments[3], auto_unbox = TRUE, digits = NA, na = "null", null = "null")
}
