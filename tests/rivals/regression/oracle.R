# oracle.R fits the cases with packages of R, and finds the maximum of every likelihood once more, with R's own densities.
#
#   Rscript oracle.R data FOLDER
#   Rscript oracle.R fit CASES.json PYTHON.json ANSWERS.json
#
# The first writes the data sets as CSV; those of Python are written by oracle.py. In the second a rival's estimates are turned into the
# parameters of sngdgen. Where Python was asked, its answers are read, for the maxima alone.
invisible(Sys.setlocale("LC_COLLATE", "C"))
suppressPackageStartupMessages({
  library(jsonlite); library(MASS); library(nlme); library(survival); library(pscl); library(VGAM); library(glmmTMB); library(numDeriv)
})
arguments <- commandArgs(trailingOnly = TRUE)

from <- function(package, item, object = item) {
  e <- new.env()
  data(list = item, package = package, envir = e)
  as.data.frame(e[[object]])
}

sets <- list(
  cars = function() cars,
  mtcars = function() mtcars,
  swiss = function() swiss,
  longley = function() longley,
  iris = function() iris,
  ChickWeight = function() as.data.frame(ChickWeight)[c("weight", "Time", "Diet")],
  stackloss = function() stackloss,
  airquality = function() airquality,
  trees = function() trees,
  coal = function() {
    date <- from("boot", "coal")$date
    subset(data.frame(interval = diff(date), year = date[-1]), interval > 0) # two of one day
  },
  oxtemp = function() cbind(from("VGAM", "oxtemp"), one = 1),
  infert = function() infert,
  birthwt = function() birthwt,
  UCBAdmissions = function() as.data.frame(UCBAdmissions),
  esoph = function() transform(esoph, trials = ncases + ncontrols),
  menarche = function() menarche,
  lirat = function() transform(from("VGAM", "lirat"), treated = as.numeric(grp > 1)),
  warpbreaks = function() warpbreaks,
  InsectSprays = function() InsectSprays,
  discoveries = function() {
    year <- as.numeric(time(discoveries))
    data.frame(discoveries = as.numeric(discoveries), year = year, year2 = year^2)
  },
  epil = function() epil,
  DoctorVisits = function() from("AER", "DoctorVisits"),
  quine = function() quine,
  NMES1988 = function() from("AER", "NMES1988"),
  bioChemists = function() from("pscl", "bioChemists"),
  RecreationDemand = function() from("AER", "RecreationDemand"),
  tobin = function() survival::tobin,
  change = function() { # of seizures, from the first period to the last
    first <- subset(epil, period == 1)
    last <- subset(epil, period == 4)
    stopifnot(first$subject == last$subject)
    data.frame(change = last$y - first$y, treated = as.numeric(first$trt == "progabide"), lbase = first$lbase, lage = first$lage)
  },
  Affairs = function() from("AER", "Affairs"),
  lung = function() transform(lung, event = status - 1)[c("time", "event", "age", "sex", "ph.ecog")],
  ovarian = function() ovarian,
  veteran = function() veteran,
  colon = function() subset(colon, etype == 2)[c("time", "status", "rx", "sex", "age", "nodes", "extent")])

export <- function(name, folder) {
  x <- na.omit(sets[[name]]())
  for (j in seq_along(x)) x[[j]] <- if (is.numeric(x[[j]])) formatC(x[[j]], digits = 17, width = 1, format = "g") else as.character(x[[j]])
  file <- file.path(folder, paste0(name, ".csv"))
  write.csv(x, paste0(file, ".part"), row.names = FALSE, quote = FALSE)
  file.rename(paste0(file, ".part"), file)
}

# Links of the parameters that have no predictor: value from coordinate, and its slope.
logs <- list(value = exp, slope = exp, coordinate = log)
links <- list(real = list(value = identity, slope = function(u) 1, coordinate = identity), positive = logs,
              unit = list(value = plogis, slope = dlogis, coordinate = qlogis))

# The distributions: types of the parameters in sngdgen's order, and the log-density from their values in all rows.
bbinom <- function(x, size, a, b) lchoose(size, x) + lbeta(x + a, size - x + b) - lbeta(a, b)
mixed <- function(y, p, zero, logd) ifelse(y == 0, log(p + (1 - p) * exp(zero)), log1p(-p) + logd)
distributions <- list(
  normal = list(c(mu = "real", sigma2 = "positive"), function(y, g, q) dnorm(y, q$mu, sqrt(q$sigma2), log = TRUE)),
  student_t = list(c(mu = "real", sigma = "positive", nu = "positive"), function(y, g, q) dt((y - q$mu) / q$sigma, q$nu, log = TRUE) - log(q$sigma)),
  gamma_mean = list(c(mu = "positive", alpha = "positive"), function(y, g, q) dgamma(y, q$alpha, rate = q$alpha / q$mu, log = TRUE)),
  inverse_gaussian = list(c(mu = "positive", lambda = "positive"), function(y, g, q) statmod::dinvgauss(y, q$mu, q$lambda, log = TRUE)),
  log_normal = list(c(mu = "real", sigma = "positive"), function(y, g, q) dlnorm(y, q$mu, q$sigma, log = TRUE)),
  exponential = list(c(lambda = "positive"), function(y, g, q) dexp(y, q$lambda, log = TRUE)),
  gumbel = list(c(mu = "real", sigma = "positive"), function(y, g, q) VGAM::dgumbel(y, q$mu, q$sigma, log = TRUE)),
  beta_mean = list(c(mu = "unit", phi = "positive"), function(y, g, q) dbeta(y, q$mu * q$phi, (1 - q$mu) * q$phi, log = TRUE)),
  bernoulli = list(c(p = "unit"), function(y, g, q) dbinom(y, 1, q$p, log = TRUE)),
  binomial = list(c(p = "unit"), function(y, g, q) dbinom(y, g$trials, q$p, log = TRUE)),
  beta_binomial = list(c(mu = "unit", phi = "positive"), function(y, g, q) bbinom(y, g$trials, q$mu * q$phi, (1 - q$mu) * q$phi)),
  poisson = list(c(lambda = "positive"), function(y, g, q) dpois(y, q$lambda, log = TRUE)),
  negative_binomial_mean = list(c(mu = "positive", r = "positive"), function(y, g, q) dnbinom(y, size = q$r, mu = q$mu, log = TRUE)),
  zero_inflated_poisson = list(c(lambda = "positive", p = "unit"), function(y, g, q) mixed(y, q$p, -q$lambda, dpois(y, q$lambda, log = TRUE))),
  zero_inflated_negative_binomial = list(c(mu = "positive", r = "positive", p = "unit"), function(y, g, q) {
    mixed(y, q$p, dnbinom(0, size = q$r, mu = q$mu, log = TRUE), dnbinom(y, size = q$r, mu = q$mu, log = TRUE))
  }),
  tobit = list(c(mu = "real", sigma = "positive"), function(y, g, q) {
    ifelse(y > 0, dnorm(y, q$mu, q$sigma, log = TRUE), pnorm(0, q$mu, q$sigma, log.p = TRUE))
  }),
  hurdle_gamma = list(c(mu = "positive", alpha = "positive", p = "unit"), function(y, g, q) {
    out <- log(q$p + 0 * y)
    seen <- y > 0
    out[seen] <- (log1p(-q$p) + dgamma(pmax(y, 1e-300), q$alpha, rate = q$alpha / q$mu, log = TRUE))[seen]
    out
  }),
  skellam = list(c(lambda = "positive", mu = "positive"), function(y, g, q) { # besselI is scaled by exp(-x)
    z <- 2 * sqrt(q$lambda * q$mu)
    bessel <- mapply(function(x, n) besselI(x, n, expon.scaled = TRUE), z, abs(y))
    y / 2 * log(q$lambda / q$mu) - (sqrt(q$lambda) - sqrt(q$mu))^2 + log(bessel)
  }),
  hurdle_poisson = list(c(lambda = "positive", p = "unit"), function(y, g, q) {
    ifelse(y == 0, log(q$p), log1p(-q$p) + dpois(y, q$lambda, log = TRUE) - ppois(0, q$lambda, lower.tail = FALSE, log.p = TRUE))
  }),
  weibull_survival = list(c(scale = "positive", k = "positive"), function(y, g, q) {
    ifelse(g$event == 1, dweibull(y, q$k, q$scale, log = TRUE), pweibull(y, q$k, q$scale, lower.tail = FALSE, log.p = TRUE))
  }),
  log_normal_survival = list(c(mu = "real", sigma = "positive"), function(y, g, q) {
    ifelse(g$event == 1, dlnorm(y, q$mu, q$sigma, log = TRUE), plnorm(y, q$mu, q$sigma, lower.tail = FALSE, log.p = TRUE))
  }),
  log_logistic_survival = list(c(mu = "real", sigma = "positive"), function(y, g, q) {
    z <- (log(y) - q$mu) / q$sigma
    ifelse(g$event == 1, dlogis(z, log = TRUE) - log(q$sigma * y), plogis(z, lower.tail = FALSE, log.p = TRUE))
  }))

# model reads the formula of sngdgen: matrices by the name of the parameter, and the response, what is given, and weights.
model <- function(case, d) {
  types <- distributions[[case$distribution]][[1]]
  x <- list()
  for (part in strsplit(case$formula, ";")[[1]]) {
    sides <- trimws(strsplit(part, "~", fixed = TRUE)[[1]])
    if (length(x) == 0) y <- d[[sides[1]]]
    x[[if (length(x) == 0) names(types)[1] else sides[1]]] <- model.matrix(as.formula(paste("~", sides[2])), d)
  }
  given <- list(trials = d$trials, event = d$event)
  for (a in strsplit(case$arguments, " ")[[1]]) if (startsWith(a, "--data=")) {
    pair <- strsplit(sub("--data=", "", a), "=")[[1]]
    given[[pair[1]]] <- d[[pair[2]]]
  }
  weights <- if (grepl("--weights=", case$arguments)) d[[sub(".*--weights=(\\S+).*", "\\1", case$arguments)]] else rep(1, nrow(d))
  list(types = types, density = distributions[[case$distribution]][[2]], y = if (is.factor(y)) as.numeric(y) - 1 else y,
       x = x, given = given, weights = weights)
}

# maximum is the maximum of the likelihood near estimates, by Newton's method with differences that Richardson extrapolated, in coordinates
# in which the columns of each predictor are orthonormal; with standard errors from the second derivatives there.
maximum <- function(m, at) {
  root <- lapply(m$x, function(x) qr.R(qr(x, LAPACK = FALSE)) / sqrt(nrow(x)))
  basis <- Map(function(x, r) x %*% solve(r), m$x, root)
  names <- names(m$types)
  length_of <- sapply(names, function(q) if (is.null(root[[q]])) 1 else ncol(root[[q]]))
  of <- rep(names, length_of)
  values <- function(u) {
    sapply(names, function(q) {
      eta <- if (is.null(basis[[q]])) u[of == q] else as.numeric(basis[[q]] %*% u[of == q])
      links[[m$types[[q]]]]$value(eta)
    }, simplify = FALSE)
  }
  loss <- function(u) -sum(m$weights * m$density(m$y, m$given, values(u))) / sum(m$weights)
  u <- unlist(lapply(names, function(q) {
    if (is.null(root[[q]])) links[[m$types[[q]]]]$coordinate(at[[q]]) else as.numeric(root[[q]] %*% at[[q]])
  }))
  if (any(!is.finite(u)) || !is.finite(loss(u))) stop("no start")
  u <- nlminb(u, loss, control = list(rel.tol = 1e-14, x.tol = 1e-12, eval.max = 2000, iter.max = 2000))$par
  # From here on in coordinates in which the second derivatives are the identity, so that steps of differences suit all of them.
  steps <- list(eps = 1e-3)
  back <- solve(chol(hessian(loss, u)))
  for (i in 1:8) {
    near <- function(w) loss(u + as.numeric(back %*% w))
    zero <- 0 * u
    step <- -as.numeric(solve(hessian(near, zero, method.args = steps), grad(near, zero, method.args = steps)))
    while (!isTRUE(near(step) <= near(zero) + 1e-13) && sum(abs(step)) > 1e-14) step <- step / 2
    u <- u + as.numeric(back %*% step)
    if (sqrt(sum(step^2) * sum(m$weights)) < 1e-7) break
  }
  near <- function(w) loss(u + as.numeric(back %*% w))
  H <- hessian(near, 0 * u, method.args = steps)
  covariance <- back %*% solve(H) %*% t(back) / sum(m$weights)
  par <- se <- list()
  for (q in names) {
    i <- of == q
    if (is.null(root[[q]])) {
      par[[q]] <- links[[m$types[[q]]]]$value(u[i])
      se[[q]] <- sqrt(covariance[i, i]) * links[[m$types[[q]]]]$slope(u[i])
    } else {
      back <- solve(root[[q]])
      par[[q]] <- as.numeric(back %*% u[i])
      se[[q]] <- sqrt(diag(back %*% covariance[i, i, drop = FALSE] %*% t(back)))
    }
  }
  list(log_likelihood = -loss(u) * sum(m$weights), parameters = lapply(par, I), standard_errors = lapply(se, I))
}

# The estimates of the rivals, by the class of what they return.
estimates <- function(fit, case, m) UseMethod("estimates")

answered <- function(fit, par, se, errors, iterations, ll = as.numeric(logLik(fit))) {
  list(log_likelihood = ll, parameters = lapply(par, I), standard_errors = lapply(se, I), errors = errors, iterations = iterations)
}

estimates.lm <- function(fit, case, m) {
  n <- length(m$y)
  s2 <- sum(residuals(fit)^2) / n
  se <- sqrt(diag(summary(fit)$cov.unscaled) * s2)
  if (case$distribution == "normal") return(answered(fit, list(mu = coef(fit), sigma2 = s2), list(mu = se, sigma2 = s2 * sqrt(2 / n)), "observed", 1))
  answered(fit, list(mu = coef(fit), sigma = sqrt(s2)), list(mu = se, sigma = sqrt(s2 / (2 * n))), "observed", 1, as.numeric(logLik(fit)) - sum(log(m$y)))
}

estimates.glm <- function(fit, case, m) {
  b <- coef(fit)
  u <- summary(fit)$cov.unscaled
  if (case$distribution == "exponential") {
    return(answered(fit, list(lambda = -b), list(lambda = sqrt(diag(u))), "expected", fit$iter, sum(dexp(m$y, 1 / fitted(fit), log = TRUE))))
  }
  if (case$distribution == "inverse_gaussian") {
    lambda <- length(m$y) / fit$deviance
    return(answered(fit, list(mu = b, lambda = lambda), list(mu = sqrt(diag(u) / lambda), lambda = lambda * sqrt(2 / length(m$y))), "expected", fit$iter))
  }
  name <- names(m$types)[1]
  answered(fit, setNames(list(b), name), setNames(list(sqrt(diag(u))), name), "observed", fit$iter)
}

estimates.negbin <- function(fit, case, m) {
  answered(fit, list(mu = coef(fit), r = fit$theta), list(mu = sqrt(diag(vcov(fit))), r = fit$SE.theta), "expected", fit$iter)
}

estimates.gls <- function(fit, case, m) {
  ratios <- coef(fit$modelStruct$varStruct, unconstrained = FALSE, allCoef = TRUE)[levels(factor(getGroups(fit)))]
  if (length(ratios) == 0 || anyNA(ratios)) {
    ratios <- coef(fit$modelStruct$varStruct, unconstrained = FALSE, allCoef = TRUE)
    ratios <- ratios[sort(names(ratios))]
  }
  v <- 2 * log(fit$sigma * ratios)
  n <- fit$dims$N
  mu <- sqrt(diag(fit$varBeta))
  answered(fit, list(mu = coef(fit), sigma2 = c(v[1], v[-1] - v[1])), list(mu = mu, sigma2 = rep(NA, length(v))), "expected", fit$numIter)
}

# two_part is a gamma regression of what is positive, and a logistic regression of the zeros, by glm.
two_part <- function(formula, zeros, data) {
  y <- data[[all.vars(formula)[1]]]
  positive <- glm(formula, Gamma("log"), data[y > 0, ], control = list(epsilon = 1e-12, maxit = 100))
  zero <- glm(update(zeros, I(y == 0) ~ .), binomial, cbind(data, y = y))
  structure(list(positive = positive, zero = zero, shape = gamma.shape(positive, it.lim = 100, eps.max = 1e-12), y = y), class = "two_part")
}

estimates.two_part <- function(fit, case, m) {
  alpha <- fit$shape$alpha
  seen <- fit$y[fit$y > 0]
  ll <- sum(dgamma(seen, alpha, rate = alpha / fitted(fit$positive), log = TRUE)) + as.numeric(logLik(fit$zero))
  se <- function(f) sqrt(diag(summary(f)$cov.unscaled))
  answered(fit, list(mu = coef(fit$positive), alpha = alpha, p = coef(fit$zero)),
           list(mu = se(fit$positive) / sqrt(alpha), alpha = fit$shape$SE, p = se(fit$zero)), "expected", fit$positive$iter + fit$zero$iter, ll)
}

estimates.glmmTMB <- function(fit, case, m) {
  b <- fit$sdr$par.fixed
  se <- sqrt(diag(fit$sdr$cov.fixed))
  second <- names(m$types)[2]
  par <- setNames(list(b[names(b) == "beta"], b[names(b) == "betad"]), names(m$types)[1:2])
  errors <- setNames(list(se[names(b) == "beta"], se[names(b) == "betad"]), names(m$types)[1:2])
  if (is.null(m$x[[second]])) {
    errors[[second]] <- exp(par[[second]]) * errors[[second]]
    par[[second]] <- exp(par[[second]])
  }
  answered(fit, par, errors, "observed", fit$fit$iterations)
}

estimates.zeroinfl <- function(fit, case, m) {
  sign <- if (inherits(fit, "hurdle")) -1 else 1
  se <- sqrt(diag(vcov(fit)))
  zero <- startsWith(names(se), "zero_")
  par <- list(fit$coefficients$count, p = sign * fit$coefficients$zero)
  errors <- list(se[!zero], p = se[zero])
  names(par)[1] <- names(errors)[1] <- names(m$types)[1]
  if (!is.null(fit$theta)) {
    par$r <- fit$theta
    errors$r <- fit$theta * fit$SE.logtheta
  }
  optim <- if (inherits(fit, "hurdle")) max(fit$optim$count$counts, fit$optim$zero$counts, na.rm = TRUE) else max(fit$optim$counts, na.rm = TRUE)
  answered(fit, par, errors, "observed", optim)
}
estimates.hurdle <- estimates.zeroinfl

estimates.survreg <- function(fit, case, m) {
  sign <- if (case$distribution == "gumbel") -1 else 1
  p <- length(coef(fit))
  se <- sqrt(diag(vcov(fit)))
  second <- names(m$types)[2]
  value <- if (second == "k") 1 / fit$scale else fit$scale
  answered(fit, setNames(list(sign * coef(fit), value), names(m$types)), setNames(list(se[1:p], value * se[p + 1]), names(m$types)), "observed", fit$iter,
           fit$loglik[2])
}

estimates.vglm <- function(fit, case, m) {
  b <- coef(fit)
  se <- sqrt(diag(vcov(fit)))
  rho <- plogis(b[2]) # the second of the intercepts, and the same in all rows
  answered(fit, list(mu = b[-2], phi = 1 / rho - 1), list(mu = se[-2], phi = (1 - rho) / rho * se[2]), "expected", fit@iter, fit@criterion$loglikelihood)
}

# Processor time of a call, over as many repetitions as take a third of a second; the least of three.
seconds <- function(call, envir) {
  once <- max(sum(system.time(eval(call, envir))[1:2]), 1e-3)
  n <- max(1, min(200, ceiling(0.33 / once)))
  min(replicate(if (once > 3) 1 else 3, sum(system.time(for (i in seq_len(n)) eval(call, envir))[1:2]) / n))
}

ask <- function(case, python) {
  d <- read.csv(case$file, stringsAsFactors = TRUE)
  m <- model(case, d)
  if (case$rival == "R") {
    call <- parse(text = sub("\\)$", ", data = d)", case$call))[[1]]
    told <- character()
    envir <- list2env(list(d = d), parent = globalenv())
    fit <- withCallingHandlers(eval(call, envir), warning = function(w) {
      told <<- c(told, conditionMessage(w))
      invokeRestart("muffleWarning")
    })
    answer <- if (isVirtualClass("vglm") || isS4(fit)) estimates.vglm(fit, case, m) else estimates(fit, case, m)
    answer$warnings <- I(unique(told))
    answer$seconds <- suppressWarnings(seconds(call, envir))
  } else {
    answer <- python[[case$name]]
  }
  answer$name <- case$name
  answer$sha256 <- case$sha256
  answer$n <- nrow(d)
  answer$maximum <- tryCatch(maximum(m, answer$parameters), error = function(e) { message(case$name, ": ", conditionMessage(e)); NULL })
  answer
}

fit <- function(cases, python, out) {
  cases <- fromJSON(cases, simplifyDataFrame = FALSE)
  known <- fromJSON(python, simplifyDataFrame = FALSE)
  python <- setNames(known$answers, sapply(known$answers, function(a) a$name))
  versions <- known$versions
  versions$R <- paste(R.version$major, R.version$minor, sep = ".")
  for (p in c("MASS", "nlme", "survival", "pscl", "VGAM", "glmmTMB", "numDeriv", "AER")) versions[[p]] <- as.character(packageVersion(p))
  versions$date <- as.character(Sys.Date())
  answers <- list()
  for (case in cases) {
    message(case$name)
    a <- tryCatch(ask(case, python), error = function(e) { message(case$name, ": ", conditionMessage(e)); NULL })
    if (!is.null(a)) answers[[length(answers) + 1]] <- a
  }
  write_json(list(versions = versions, answers = answers), out, auto_unbox = TRUE, digits = NA, na = "null", null = "null")
}

if (arguments[1] == "data") {
  for (name in names(sets)) tryCatch(export(name, arguments[2]), error = function(e) message(name, ": ", conditionMessage(e)))
} else {
  fit(arguments[2], arguments[3], arguments[4])
}
