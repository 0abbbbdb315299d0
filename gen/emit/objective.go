package emit

// objective writes ThetaGradient, for problems without unconstrained coordinates.
func (f *file) objective() {
	if f.d.Objective == nil {
		return
	}
	f.add("ThetaGradient writes the derivative of the loss with respect to the target's parameters theta to g, and returns the\n"+
		"loss; NaN outside the domain of the target. Both are in the order and layout of Theta.",
		method("ThetaGradient").Params(floats("g", "theta")).Float64().Block(f.kernel("ThetaGradient", returnNaN)...))
}

// thetaLoss writes the method of runtime.LossOfTheta.
func (f *file) thetaLoss() {
	if !f.LossOfTheta() {
		return
	}
	f.add("ThetaLoss returns the loss at the target's parameters theta, in the order and layout of Theta; NaN outside the domain of the target.",
		method("ThetaLoss").Params(floats("theta")).Float64().Block(f.kernel("ThetaLoss", returnNaN)...))
}

// refined writes the method of runtime.Refined.
func (f *file) refined() {
	if f.d.Finer == nil {
		return
	}
	f.add("FinerLoss returns the loss at the target's parameters theta, with more nodes for integrals and more terms of series.",
		method("FinerLoss").Params(floats("theta")).Float64().Block(f.kernel("FinerLoss", returnNaN)...))
}

// penalty writes the methods of runtime.Penalised.
func (f *file) penalty() {
	q := f.d.Penalty
	if q == nil {
		return
	}
	f.add("PenaltyGradients writes the natural gradient of the penalty at z, divided by the sum of the weights, to v and the ordinary\n"+
		"gradient to c, and returns the value. It does not check the domain. The penalty is\n\n\t"+display(q.Formula),
		method("PenaltyGradients").Params(floats("v", "c", "z")).Float64().Block(f.kernel("PenaltyGradients", nil, returnNaN(0))...))
	f.add("PenaltyThetaGradient writes the derivative of the penalty, divided by the sum of the weights, with respect to the target's\n"+
		"parameters theta to g, and returns the value; NaN outside the domain of the target.",
		method("PenaltyThetaGradient").Params(floats("g", "theta")).Float64().Block(f.kernel("PenaltyThetaGradient", returnNaN)...))
}

// report writes the methods of runtime.Quantities.
func (f *file) report() {
	if f.d.Report == nil {
		return
	}
	f.add("Quantities writes Info().Reported at the target's parameters theta to dst, one after the other.",
		method("Quantities").Params(floats("dst", "theta")).Block(f.kernel("Quantities", nil, spoil("dst")...)...))
	f.add("QuantitiesGradient writes the derivative of the sum of the quantities, times their weights c, by the target's parameters theta to g.",
		method("QuantitiesGradient").Params(floats("g", "theta", "c")).Block(f.kernel("QuantitiesGradient", nil, spoil("g")...)...))
}
