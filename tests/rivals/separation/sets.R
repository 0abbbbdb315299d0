# Writes data sets of R packages as CSV: y, which is binary, a count, a category from 1 or a time, perhaps censored; trials where y is a number of successes, event where a time may be censored from the right,
# kind and until where it may lie in an interval; and predictors that are numbers; rows without missing values.
#
#   Rscript sets.R data FOLDER
#   Rscript sets.R ask CASES.json ANSWERS.json
#
# The second says of which cases glm warns, and what survreg says of censored ones.
arguments <- commandArgs(trailingOnly = TRUE)

of <- function(package, name) {
  found <- new.env()
  data(list = name, package = package, envir = found)
  found[[name]]
}
yes <- function(x) as.numeric(x)
dummies <- function(f) {
  f <- factor(f)
  d <- as.data.frame(sapply(levels(f)[-1], function(l) yes(f == l)))
  names(d) <- gsub("[^A-Za-z0-9]", "_", names(d))
  d
}

# of R's Surv(lower, upper, type = "interval2"): observed (1), above y (2), below y (3), between y and until (4)
interval <- function(lower, upper) {
  kind <- ifelse(is.na(upper), 2, ifelse(is.na(lower), 3, ifelse(lower == upper, 1, 4)))
  y <- ifelse(kind == 3, upper, lower)
  data.frame(y, kind, until = ifelse(kind == 4, upper, y + 1))
}
# deaths that a visit finds, one every so many days, and times that are censored
visited <- function(time, event, every) {
  before <- floor((time - 1) / every) * every
  interval(ifelse(event == 1, ifelse(before > 0, before, NA), time), ifelse(event == 1, before + every, NA))
}

sets <- list(
  lungtimes = function() with(survival::lung, data.frame(y = time, event = status - 1, age, male = yes(sex == 1), ecog1 = yes(ph.ecog == 1), ecog2 = yes(ph.ecog >= 2), wt_loss = wt.loss)),
  ovarian = function() with(survival::ovarian, data.frame(y = futime, event = fustat, age, resid = yes(resid.ds == 2), rx = yes(rx == 2), ecog = yes(ecog.ps == 2))),
  veteran = function() with(survival::veteran, data.frame(y = time, event = status, test = yes(trt == 2), dummies(celltype), karno, diagtime, age, prior = yes(prior > 0))),
  kidney = function() with(survival::kidney, data.frame(y = time, event = status, age, female = yes(sex == 2), dummies(disease))),
  pbc = function() with(survival::pbc, data.frame(y = time, event = yes(status == 2), trt = yes(trt == 1), age, male = yes(sex == "m"), spiders, edema = yes(edema > 0), bili, albumin, late = yes(stage == 4))),
  colon = function() with(subset(survival::colon, etype == 2), data.frame(y = time, event = status, lev = yes(rx == "Lev"), lev5fu = yes(rx == "Lev+5FU"), sex, age, obstruct, perfor, adhere, nodes, surg)),
  rats = function() with(survival::rats, data.frame(y = time, event = status, rx, male = yes(sex == "m"))),
  stanford2 = function() with(survival::stanford2, data.frame(y = time, event = status, age, t5)),
  transplants = function() with(subset(survival::jasa, futime > 0), data.frame(y = futime, event = fustat, surgery, age, transplant)),
  retinopathy = function() with(survival::retinopathy, data.frame(y = futime, event = status, argon = yes(laser == "argon"), age, adult = yes(type == "adult"), trt, risk)),
  larynx = function() with(of("KMsurv", "larynx"), data.frame(y = time, event = delta, s2 = yes(stage == 2), s3 = yes(stage == 3), s4 = yes(stage == 4), age, diagyr)),
  hodgkin = function() with(of("KMsurv", "hodg"), data.frame(y = time, event = delta, auto = yes(gtype == 2), hodgkin = yes(dtype == 2), score, wtime)),
  gbsg = function() with(survival::gbsg, data.frame(y = rfstime, event = status, age, meno, size, g2 = yes(grade == 2), g3 = yes(grade == 3), nodes, hormon)),
  tobin = function() with(survival::tobin, data.frame(y = durable, age, quant)),
  hours = function() with(of("AER", "PSID1976"), data.frame(y = hours / 100, young = youngkids, old = oldkids, age, education, experience, college = yes(hcollege == "yes"))),
  cosmesis = function() with(of("KMsurv", "bcdeter"), data.frame(interval(ifelse(lower == 0, NA, lower), upper), chemo = yes(treat == 2))),
  fair = function() with(of("AER", "Affairs"), data.frame(
    interval(c(NA, 0.5, 1.5, 2.5, NA, NA, NA, 3.5, NA, NA, NA, NA, 10.5)[affairs + 1], c(0.5, 1.5, 2.5, 3.5, NA, NA, NA, 10.5, NA, NA, NA, NA, NA)[affairs + 1]),
    male = yes(gender == "male"), age, years = yearsmarried, children = yes(children == "yes"), religiousness, rating)),
  lungvisits = function() with(survival::lung, data.frame(visited(time, status - 1, 91), age, male = yes(sex == 1), ecog1 = yes(ph.ecog == 1), ecog2 = yes(ph.ecog >= 2))),
  pbcvisits = function() with(survival::pbc, data.frame(visited(time, yes(status == 2), 365), trt = yes(trt == 1), age, spiders, edema = yes(edema > 0), bili, late = yes(stage == 4))),
  larynxvisits = function() with(of("KMsurv", "larynx"), data.frame(visited(ceiling(365 * time), delta, 182), s2 = yes(stage == 2), s3 = yes(stage == 3), s4 = yes(stage == 4), age)),
  birthwt = function() with(of("MASS", "birthwt"), data.frame(y = low, age, lwt, smoke, ptl = yes(ptl > 0), ht, ui, r2 = yes(race == 2), r3 = yes(race == 3))),
  infert = function() with(of("datasets", "infert"), data.frame(y = case, age, parity, induced, spontaneous)),
  setosa = function() { d <- of("datasets", "iris"); names(d) <- gsub("[.]", "_", names(d)); data.frame(y = yes(d$Species == "setosa"), d[1:4]) },
  virginica = function() { d <- of("datasets", "iris"); names(d) <- gsub("[.]", "_", names(d)); data.frame(y = yes(d$Species == "virginica"), d[1:4]) },
  biopsy = function() { d <- of("MASS", "biopsy"); data.frame(y = yes(d$class == "malignant"), d[2:10]) },
  pima = function() { d <- of("MASS", "Pima.tr"); data.frame(y = yes(d$type == "Yes"), d[1:7]) },
  crabs = function() { d <- of("MASS", "crabs"); data.frame(y = yes(d$sp == "B"), male = yes(d$sex == "M"), d[4:8]) },
  crabsex = function() { d <- of("MASS", "crabs"); data.frame(y = yes(d$sex == "M"), d[4:8]) },
  bacteria = function() with(of("MASS", "bacteria"), data.frame(y = yes(y == "y"), active = yes(ap == "a"), high = yes(hilo == "hi"), week)),
  melanoma = function() with(of("MASS", "Melanoma"), data.frame(y = yes(status == 1), sex, age, year, thickness, ulcer)),
  vaso = function() with(of("robustbase", "vaso"), data.frame(y = Y, Volume, Rate)),
  foodstamp = function() { d <- of("robustbase", "foodstamp"); data.frame(y = d$participation, tenancy = d$tenancy, suppl = d$suppl.income, income = d$income) },
  nodal = function() with(of("boot", "nodal"), data.frame(y = yes(r), aged = yes(aged), stage = yes(stage), grade = yes(grade), xray = yes(xray), acid = yes(acid))),
  urine = function() with(of("boot", "urine"), data.frame(y = yes(r), gravity, ph, osmo, cond, urea, calc)),
  plasma = function() with(of("HSAUR3", "plasma"), data.frame(y = yes(ESR == "ESR > 20"), fibrinogen, globulin)),
  kyphosis = function() with(of("rpart", "kyphosis"), data.frame(y = yes(Kyphosis == "present"), Age, Number, Start)),
  mtcars = function() with(of("datasets", "mtcars"), data.frame(y = am, mpg, hp, qsec, six = yes(cyl == 6), eight = yes(cyl == 8), gears = gear)),
  mroz = function() with(of("carData", "Mroz"), data.frame(y = yes(lfp == "yes"), k5, k618, age, wc = yes(wc == "yes"), hc = yes(hc == "yes"), lwg, inc)),
  titanic = function() with(of("carData", "TitanicSurvival"), data.frame(y = yes(survived == "yes"), male = yes(sex == "male"), age, second = yes(passengerClass == "2nd"), third = yes(passengerClass == "3rd"))),
  penguins = function() with(of("palmerpenguins", "penguins"), data.frame(y = yes(sex == "male"), bill_length_mm, bill_depth_mm, flipper_length_mm, gentoo = yes(species == "Gentoo"), chinstrap = yes(species == "Chinstrap"))),
  swisslabor = function() with(of("AER", "SwissLabor"), data.frame(y = yes(participation == "yes"), income, age, education, youngkids, oldkids, foreign = yes(foreign == "yes"))),
  sonar = function() { d <- of("mlbench", "Sonar"); data.frame(y = yes(d$Class == "M"), d[c(1, 11, 12, 21, 36, 45)]) },
  lung = function() with(survival::lung, data.frame(y = status - 1, age, male = yes(sex == 1), ecog1 = yes(ph.ecog == 1), ecog2 = yes(ph.ecog >= 2), wt_loss = wt.loss)),
  sprays = function() { d <- of("datasets", "InsectSprays"); data.frame(y = d$count, dummies(d$spray)) },
  quine = function() with(of("MASS", "quine"), data.frame(y = Days, eth = yes(Eth == "N"), sex = yes(Sex == "M"), f1 = yes(Age == "F1"), f2 = yes(Age == "F2"), f3 = yes(Age == "F3"), slow = yes(Lrn == "SL"))),
  ships = function() with(of("AER", "ShipAccidents"), data.frame(y = incidents, dummies(type), c65 = yes(construction == "1965-69"), c70 = yes(construction == "1970-74"), c75 = yes(construction == "1975-79"), late = yes(operation == "1975-79"))),
  epil = function() with(of("MASS", "epil"), data.frame(y, progabide = yes(trt == "progabide"), base, age, v4 = V4)),
  recreation = function() with(of("AER", "RecreationDemand"), data.frame(y = trips, quality, ski = yes(ski == "yes"), income, userfee = yes(userfee == "yes"), costC, costS, costH)),
  biochemists = function() with(of("pscl", "bioChemists"), data.frame(y = art, women = yes(fem == "Women"), married = yes(mar == "Married"), kid5, phd, ment)),
  visits = function() with(of("AER", "DoctorVisits"), data.frame(y = visits, female = yes(gender == "female"), age, income, illness, reduced, health, private = yes(private == "yes"), chronic = yes(lchronic == "yes"))),
  affairs = function() with(of("AER", "Affairs"), data.frame(y = affairs, male = yes(gender == "male"), age, years = yearsmarried, children = yes(children == "yes"), religiousness, rating)),
  ticks = function() with(of("lme4", "grouseticks"), data.frame(y = TICKS, y96 = yes(YEAR == "96"), y97 = yes(YEAR == "97"), HEIGHT)),
  polyps = function() with(of("HSAUR3", "polyps"), data.frame(y = number, drug = yes(treat == "drug"), age)),
  possum = function() with(of("robustbase", "possumDiv"), data.frame(y = Diversity, Shrubs, Stumps = yes(Stumps == 1), Stags, Bark, nitens = yes(eucalyptus == "nitens"), ne_nw = yes(aspect == "NW-NE"))),
  ornstein = function() with(of("carData", "Ornstein"), data.frame(y = interlocks, logassets = log(assets), dummies(sector), other = yes(nation == "OTH"), uk = yes(nation == "UK"), us = yes(nation == "US"))),
  wages = function() with(of("AER", "PSID1976"), data.frame(y = wage, young = youngkids, old = oldkids, age, education, experience, income = fincome / 1000)),
  credit = function() with(of("AER", "CreditCard"), data.frame(y = expenditure, reports = yes(reports > 0), age, income, owner = yes(owner == "yes"), selfemp = yes(selfemp == "yes"), dependents, active)),
  wine = function() with(of("ordinal", "wine"), data.frame(y = as.numeric(rating), warm = yes(temp == "warm"), contact = yes(contact == "yes"), bottle = as.numeric(bottle))),
  housing = function() { d <- of("MASS", "housing"); d <- d[rep(seq_len(nrow(d)), d$Freq), ]; with(d, data.frame(y = as.numeric(Sat), medium = yes(Infl == "Medium"), high = yes(Infl == "High"), dummies(Type), contact = yes(Cont == "High"))) },
  weight = function() with(of("MASS", "birthwt"), data.frame(y = as.numeric(cut(bwt, c(0, 2500, 3000, 3500, Inf))), age, lwt, smoke, ht, ui, r2 = yes(race == 2), r3 = yes(race == 3))),
  jobs = function() with(of("AER", "BankWages"), data.frame(y = as.numeric(job), education, male = yes(gender == "male"), minority = yes(minority == "yes"))),
  poverty = function() with(of("carData", "WVS"), data.frame(y = as.numeric(poverty), religion = yes(religion == "yes"), degree = yes(degree == "yes"), age, male = yes(gender == "male"), dummies(country))),
  soup = function() with(of("ordinal", "soup"), data.frame(y = as.numeric(SURENESS), test = yes(PROD == "Test"), second = yes(DAY == "2"), male = yes(GENDER == "Male"), dummies(SOUPTYPE))),
  species = function() { d <- of("datasets", "iris"); names(d) <- gsub("[.]", "_", names(d)); data.frame(y = as.numeric(d$Species), d[1:4]) },
  womenlf = function() with(of("carData", "Womenlf"), data.frame(y = as.numeric(factor(partic)), hincome, children = yes(children == "present"), dummies(region))),
  esoph = function() with(of("datasets", "esoph"), data.frame(y = ncases, trials = ncases + ncontrols, age = as.numeric(agegp), alcohol = as.numeric(alcgp), tobacco = as.numeric(tobgp), old = yes(as.numeric(agegp) > 4))),
  cbpp = function() with(of("lme4", "cbpp"), data.frame(y = incidence, trials = size, p2 = yes(period == 2), p3 = yes(period == 3), p4 = yes(period == 4), herd = as.numeric(herd), large = yes(size > 15))),
  snails = function() with(of("MASS", "snails"), data.frame(y = Deaths, trials = N, B = yes(Species == "B"), exposure = Exposure, humidity = Rel.Hum, temperature = Temp)),
  menarche = function() with(of("MASS", "menarche"), data.frame(y = Menarche, trials = Total, age = Age, square = Age^2))
)

export <- function(name, folder) {
  d <- na.omit(sets[[name]]())
  text <- as.data.frame(lapply(d, function(v) formatC(as.numeric(v), digits = 15, width = 1, format = "g")), check.names = FALSE)
  file <- file.path(folder, paste0(name, ".csv"))
  write.csv(text, paste0(file, ".part"), row.names = FALSE, quote = FALSE)
  file.rename(paste0(file, ".part"), file)
}

# a survival regression, by default
survival_regression <- function(family, d) {
  response <- with(d, switch(family,
    tobit = survival::Surv(y, y > 0, type = "left"),
    interval_normal = , interval_weibull = survival::Surv(ifelse(kind == 3, NA, y), ifelse(kind == 2, NA, ifelse(kind == 4, until, y)), type = "interval2"),
    survival::Surv(y, event)))
  distribution <- switch(family, exponential_survival = "exponential", weibull_survival = , interval_weibull = "weibull", log_normal_survival = "lognormal", log_logistic_survival = "loglogistic",
    tobit = , interval_normal = "gaussian")
  fit <- survival::survreg(response ~ ., d[!names(d) %in% c("y", "event", "kind", "until")], dist = distribution)
  list(likelihood = fit$loglik[2], coefficients = I(unname(coef(fit))))
}

ask <- function(case) {
  told <- character()
  d <- read.csv(case$file)
  fit <- function() if (case$family %in% c("bernoulli", "poisson")) {
    glm(y ~ ., data = d, family = if (case$family == "poisson") poisson else binomial)
    NULL
  } else survival_regression(case$family, d)
  said <- tryCatch(
    withCallingHandlers(fit(), warning = function(w) { told <<- c(told, sub("^glm.fit: ", "", conditionMessage(w))); invokeRestart("muffleWarning") }),
    error = function(e) { told <<- c(told, paste("error:", conditionMessage(e))); NULL })
  if (!is.null(said) && !all(is.finite(unlist(said)))) said <- NULL
  c(list(name = case$name, warnings = I(unique(told))), said)
}

if (arguments[1] == "data") {
  for (name in names(sets)) tryCatch(export(name, arguments[2]), error = function(e) message(name, ": ", conditionMessage(e)))
} else {
  cases <- jsonlite::fromJSON(arguments[2], simplifyDataFrame = FALSE)
  versions <- list(R = paste(R.version$major, R.version$minor, sep = "."), survival = as.character(packageVersion("survival")))
  jsonlite::write_json(list(versions = versions, answers = lapply(cases, ask)), arguments[3], auto_unbox = TRUE, digits = NA)
}
