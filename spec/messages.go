package spec

// The messages of all diagnostics of this package, in one place: a test checks that a golden file shows each of them.
// Messages of the formula language come from package syntax.
const (
	// Files and YAML.
	msgRead         = "cannot read %s: %v"
	msgNoSpec       = "%s is no spec"
	msgNotRegular   = "%s is not a regular file"
	msgFileTooLarge = "file of %d bytes is too large"
	msgLineTooLong  = "line of %d bytes is too long"
	msgTooMuch      = "the file holds more than %d keys and values"
	msgYAML         = "YAML: %s"
	msgNotUTF8      = "the file is not UTF-8 text"
	msgLineBreak    = "unusual line break %s"
	msgNothing      = "the file defines nothing"
	msgAnchor       = "anchors are not supported"
	msgAlias        = "aliases are not supported"
	msgTag          = "tags are not supported"
	msgMerge        = "merge keys are not supported"
	msgFlowComma    = "a comma inside parentheses splits this in two"

	// Mappings, lists, texts.
	msgWrongKind    = "%s is %s, not %s"
	msgKeyNotText   = "a key is a word, not %s"
	msgDuplicateKey = "key %q is given twice in %s"
	msgUnknownKey   = "unknown key %q in %s"
	msgMissingKey   = "%s has no %s"
	msgEmpty        = "%s is empty"
	msgNoValue      = "%s has no value"

	// Documents.
	msgUnknownDocument = "this document is no family, distribution, function, problem or approximation"
	msgVersionPlace    = "the version of a file is said in its first document"
	msgNoVersion       = "%q is no version of the language of specs"
	msgNewVersion      = "the file is written in version %d of the language of specs, but this sngdgen knows version %d"
	msgTwoDocuments    = "a document cannot be both a %s and a %s"
	msgDuplicate       = "%q is defined twice in this file"

	// Formulas, types, names.
	msgFolded          = "%s is a folded text"
	msgEscape          = "%s holds an escape sequence"
	msgComparison      = "%s is a value, not a comparison"
	msgBadName         = "%q is not a name"
	msgGeneratedName   = "name %q ends in _, as names of generated code do"
	msgReservedName    = "name %q is reserved"
	msgCoordinateName  = "name %q is reserved for the coordinates of a family"
	msgDuplicateName   = "name %q is already that of %s"
	msgPackageName     = "%q cannot name a package"
	msgMomentOfSeveral = "%s of %s, which is about %d variables: it would not be that of any of them"
	msgOneVariable     = "%s declares one variable, not %d"
	msgNoiseType       = "%q is a kind of noise, not a type of %s"

	// Functions.
	msgHeading      = "a function is written with its arguments"
	msgNoArgument   = "%q is no argument of %s"
	msgFunctionType = "%s is %s"
	msgRecursion    = "function %s is defined through itself: %s"

	// Distributions and problems.
	msgBothVariances  = "variance and covariance are the same"
	msgTwoLimits      = "there are two limits %q"
	msgEnd            = "a parameter goes to a number or to infinity, not to %q"
	msgDrawForm       = "a random number is a distribution such as normal or gamma(2)"
	msgDrawKind       = "unknown random number %q"
	msgDrawArgs       = "%s takes %s, not %d"
	msgNoVariable     = "sample does not say what %q is"
	msgSampleNothing  = "there are no data that sample could draw"
	msgSampleData     = "sample draws none of the data"
	msgGivenType      = "%s is given as %s"
	msgBesideType     = "%s is observed together with other variables as %s"
	msgGivenSample    = "family %s does not say how %q is distributed"
	msgConditional    = "family %s is one of %s given %s: it is no density of its own"
	msgNoNoise        = "start has no noise"
	msgSize           = "%s is a whole number, 1 or more"
	msgStep           = "unknown step %q"
	msgObjective      = "unknown objective %q"
	msgObjectives     = "there are two objectives, %s"
	msgPower          = "the power must be a number from 0 to 1"
	msgExternalSites  = "expectation propagation takes a log-density apart, which a function in Go cannot be"
	msgInline         = "%s is a name, or a mapping that starts with %s"
	msgUnknownRef     = "unknown %s %q"
	msgWantFamily     = "the surrogate is a family, but %q is a distribution"
	msgAmbiguous      = "%q is defined in %s and in %s"
	msgMethod         = "unknown function %q"
	msgOwnDensity     = "the density of %s is defined through itself: %s"
	msgImportPath     = "cannot import %q"
	msgImportCycle    = "import cycle: %s"
	msgTooManyImports = "more than %d files are imported"

	// Variational objectives.
	msgLatentType    = "a latent variable cannot be a %s"
	msgShared        = "only the components of a mixture that is fitted to data have something in common"
	msgExternalType  = "%s is %s, but the log-density is a function in Go, which sees unconstrained numbers"
	msgLatentRows    = "latent %s has an entry for each row of the data"
	msgLatentParts   = "latent variables are parts of a vector, but the variable of %s is %s"
	msgDataType      = "data of type %s are not supported"
	msgDataRows      = "%s: n is a first dimension"
	msgExternalData  = "an external log-density sees no data"
	msgExternalPrior = "a prior of several latent variables cannot stand next to an external log-density"

	msgJoint      = "log_joint stands next to %s"
	msgDraws      = "draws is a whole number from 1 to %d"
	msgEstimator  = "unknown estimator %q"
	msgAntithetic = "antithetic cannot be %q"

	// Approximations.
	msgContainsItself      = "%s contains itself"
	msgContainsMixture     = "%s is no mixture, and cannot contain %s"
	msgApproximatesNothing = "an approximation is that of a posterior, and the objective is %s"

	// Mixtures.
	msgUnmixed         = "the %s is a mixture, but the %s is none"
	msgNested          = "the components of a mixture are no mixtures"
	msgComponents      = "components is a name, or a whole number from 1 to %d"
	msgOtherComponents = "components are %v in the target, but %v in the surrogate"
	msgManyComponents  = "%d components are more than %d"
	msgWeights         = "%s has the name of the weights of a mixture"
	msgGroups          = "unknown groups %q"
	msgNoGroups        = "%s has groups, but this problem is no mixture"
	msgSlicesOfSeveral = "slices are of sorted numbers, but an observation of %s is of %d variables"
	msgSlices          = "slices are of sorted numbers, but an observation of %s is a %s"
)
