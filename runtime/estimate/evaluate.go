package estimate

import (
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/psis"
)

// ELBO is an estimate of the evidence lower bound, and what the same draws say of the approximation: see runtime.Estimate. Draws are
// made in portions, of which each has a k-hat and an estimate of the evidence: KHat is the mean of the former, the expectation of the
// k-hat of PortionDraws draws, of which more portions know more digits.
type ELBO struct {
	Mean Number `json:"mean"`
	// FinerMean is Mean with more nodes for the integrals of the log joint density and more terms of its series; left out where it has none.
	FinerMean     Number `json:"finer_mean,omitempty"`
	StandardError Number `json:"standard_error"` // of Mean by draws; the error of quadrature where Mean is known without
	Draws         int    `json:"draws"`
	PortionDraws  int    `json:"portion_draws"`
	KHat          Number `json:"k_hat"`
	KHatError     Number `json:"k_hat_error"`
	KHatLimit     Number `json:"k_hat_limit"`       // what it has to be below: see runtime.Estimate
	Ratios        Ratios `json:"importance_ratios"` // what KHat says
	LogEvidence   Number `json:"log_evidence"`      // by importance sampling; null unless Ratios are reliable, and where FinerMean is another
	// EvidenceError is about the standard error of LogEvidence: that of the mean of the logarithms of the ratios.
	EvidenceError Number `json:"log_evidence_error"`
}

// Ratios says whether the ratios of the posterior to an approximation, at its draws, are to be trusted in importance sampling.
type Ratios string

const (
	// RatiosReliable: k-hat is below its limit, by more than can be due to the draws: as many draws as a portion has can correct the
	// approximation. So it is where it has draws; of a part of the posterior where it has none ratios know nothing.
	RatiosReliable Ratios = "reliable"
	// RatiosUnreliable: it is above. That is about the tail of the ratios of so many draws, of more of which it may be another, and no
	// statement about means and variances: those of an approximation that is close in each of many dimensions may be right.
	RatiosUnreliable Ratios = "not reliable"
	// RatiosUnclear: the draws leave open which.
	RatiosUnclear Ratios = "not clear"
	// RatiosUnknown: there is no k-hat.
	RatiosUnknown Ratios = "not known"
)

const (
	// A k-hat is clear where its limit is so many standard errors away, that of the first portion where it is farther. Until it is, more
	// draws are made, up to so many portions, and so many operations.
	clearErrors  = 3
	firstErrors  = 5
	mostPortions = 64
	portionsWork = 2e10
)

// evaluate estimates the bound.
func (a *Approximation) evaluate(m runtime.Variational, r *Settings, z []float64) error {
	if s := *r; a.Status == runtime.AtInfinity { // k-hat says nothing where there is no best approximation
		s.Variational.EvalDraws = r.Variational.evalDraws(m)
		r = &s
	}
	e, err := r.evaluation(m, z, r.lookWork(m, a.Steps))
	if err != nil {
		nan := Number(math.NaN())
		a.ELBO = ELBO{Mean: nan, StandardError: nan, KHat: nan, KHatError: nan, KHatLimit: nan, Ratios: RatiosUnknown, LogEvidence: nan, EvidenceError: nan}
		return fmt.Errorf("the bound could not be evaluated: %w", err)
	}
	a.ELBO = *e
	if q := a.Quadrature; q != nil {
		a.ELBO.Mean, a.ELBO.StandardError = Number(q.bound), q.Error
	}
	return nil
}

// evaluation evaluates the bound at z, with as many draws as were asked for, or with as many portions as it takes to say something about
// k-hat. All portions but the first have the same random numbers whatever the seed, and where the first is not far from the limit it is
// these that decide, so that where chance decides between a verdict and none, the same approximation has the same one. It takes about so
// many operations at most, where the draws are not given, but no fewer than the least number of draws.
func (r *Settings) evaluation(m runtime.Variational, z []float64, work float64) (*ELBO, error) {
	size, most := r.Variational.EvalDraws, 1
	if size == 0 {
		size = int(max(leastReported, min(float64(r.Variational.evalDraws(m)), work/drawWork(m))))
		most = int(max(1, min(mostPortions, min(portionsWork, work)/(float64(size)*drawWork(m)))))
	}
	p := new(portions)
	for i := range most {
		seed := r.Seed
		if i > 0 {
			seed = runtime.Stream(0, "portion", uint64(i)).Uint64()
		}
		e, err := runtime.ELBO(m, z, size, seed)
		if err != nil {
			return nil, err
		}
		p.add(&e)
		if i == 0 {
			if most == 1 || p.ratiosBeyond(firstErrors) != RatiosUnclear {
				break
			}
			p.shapes, p.kHat = 0, 0
			continue
		}
		// Before the last portion it takes more: a sequence of means comes near any number of errors now and then (O'Brien and Fleming, A
		// multiple testing procedure for clinical trials, Biometrics 35, 1979).
		if p.ratiosBeyond(clearErrors*math.Sqrt(float64(most-1)/p.shapes)) != RatiosUnclear {
			break
		}
	}
	return p.elbo(), nil
}

// drawWork is about the number of operations that the log joint density takes for a draw: of a row a product for each latent variable,
// and functions that cost as much as rowWork of them.
func drawWork(m runtime.Variational) float64 { return drawWorkOf(m, 0) }

// drawWorkOf is that over a batch of so many rows; 0 is all.
func drawWorkOf(m runtime.Variational, rows int) float64 {
	if rows == 0 {
		rows, _, _ = m.Counts()
	}
	width := float64(m.Info().Variable.Len(m))
	return width*width + float64(rows)*(width+rowWork)
}

const rowWork = 20

// portions are estimates from equally many draws each.
type portions struct {
	n, shapes          float64 // how many, and of how many there is a k-hat in the sum
	size, draws        int
	mean, square, kHat float64 // sums, square of standard errors
	limit              float64
	evidences          []float64
}

func (p *portions) add(e *runtime.Estimate) {
	p.n++
	p.size = e.Draws
	p.draws += e.Draws
	p.mean += e.Mean
	p.square += e.StandardError * e.StandardError
	p.shapes++
	p.kHat += e.KHat
	p.limit = e.Limit()
	p.evidences = append(p.evidences, e.LogEvidence)
}

// shape is the mean of the k-hats, with its standard error.
func (p *portions) shape() (kHat, err float64) {
	kHat = p.kHat / p.shapes
	return kHat, psis.ShapeError(kHat, p.size) / math.Sqrt(p.shapes)
}

// ratios says what the k-hats say.
func (p *portions) ratios() Ratios { return p.ratiosBeyond(clearErrors) }

// ratiosBeyond is clear where the limit is so many standard errors away.
func (p *portions) ratiosBeyond(errors float64) Ratios {
	switch kHat, err := p.shape(); {
	case math.IsNaN(kHat):
		return RatiosUnknown
	case math.IsInf(kHat, 1), kHat-errors*err > p.limit:
		return RatiosUnreliable
	case kHat+errors*err < p.limit:
		return RatiosReliable
	}
	return RatiosUnclear
}

func (p *portions) elbo() *ELBO {
	kHat, kHatError := p.shape()
	standardError := Number(math.Sqrt(p.square) / p.n)
	e := &ELBO{Mean: Number(p.mean / p.n), StandardError: standardError, Draws: p.draws, PortionDraws: p.size, KHat: Number(kHat),
		KHatError: Number(kHatError), KHatLimit: Number(p.limit), Ratios: p.ratios(), LogEvidence: Number(math.NaN()), EvidenceError: standardError}
	if e.Ratios == RatiosReliable {
		e.LogEvidence = Number(psis.LogMeanExp(p.evidences))
	}
	return e
}
