package runtime

import "math"

// Optimizer is a method of first order for the auxiliary blocks of [Descend]: SGD, Adam, AMSGrad, Adagrad, RMSProp, or
// one of the caller's. Its value holds constants only, so that one value can serve several runs at once; what a run
// remembers is kept by the loop, which can therefore put it back when the parameters go back.
//
// The methods work entry by entry. Equal entries with equal gradients stay equal: a symmetric matrix stays symmetric.
type Optimizer interface {
	// String returns the name of the method.
	String() string
	// Memory returns how many numbers it remembers for each coordinate.
	Memory() int
	// Update takes step t, counted from 1, along the gradient g: it changes z in place. The memory has
	// Memory()*len(z) numbers, all 0 before step 1. The whole step is to be multiplied by scale. It must not allocate.
	Update(z, g, memory []float64, t int, scale float64)
}

// SGD is stochastic gradient descent, z -= Rate u with u = Momentum u + g (Robbins and Monro 1951; the momentum is
// Polyak's heavy ball of 1964).
type SGD struct {
	Rate     float64 // 0 means 0.01
	Momentum float64 // below 1; 0 means none, 0.9 is usual
}

func (SGD) String() string { return "sgd" }

// Validate implements Validator.
func (o SGD) Validate() error {
	return firstOf(notNegative("SGD", "Rate", o.Rate), below("SGD", "Momentum", o.Momentum, 1))
}

// Memory returns 1 with momentum, 0 without.
func (o SGD) Memory() int {
	if o.Momentum == 0 {
		return 0
	}
	return 1
}

// Update implements Optimizer.
func (o SGD) Update(z, g, memory []float64, _ int, scale float64) {
	rate := scale * orDefault(o.Rate, 0.01)
	if o.Momentum == 0 {
		addScaled(z, -rate, g)
		return
	}
	u, g := memory[:len(z)], g[:len(z)]
	for i := range z {
		u[i] = o.Momentum*u[i] + g[i]
		z[i] -= rate * u[i]
	}
}

// Adam is the method of Kingma and Ba (Adam: a method for stochastic optimization, ICLR 2015, algorithm 1).
type Adam struct {
	Rate        float64 // 0 means 0.001
	MeanDecay   float64 // beta_1 of the paper, below 1; 0 means 0.9
	SquareDecay float64 // beta_2 of the paper, below 1; 0 means 0.999
	Epsilon     float64 // 0 means 1e-8
}

func (Adam) String() string { return "adam" }

// Validate implements Validator.
func (o Adam) Validate() error {
	return o.validate("Adam")
}

// Memory returns 2: the running means of the gradient and of its square.
func (Adam) Memory() int { return 2 }

// Update implements Optimizer.
func (o Adam) Update(z, g, memory []float64, t int, scale float64) {
	k := o.constants(t, scale)
	n := len(z)
	g, m, s := g[:n], memory[:n], memory[n:2*n]
	for i := range z {
		m[i] = k.mean*m[i] + (1-k.mean)*g[i]
		s[i] = k.square*s[i] + (1-k.square)*g[i]*g[i]
		z[i] -= k.rate * m[i] / (math.Sqrt(s[i]/k.bias) + k.epsilon)
	}
}

func (o Adam) validate(name string) error {
	return firstOf(
		notNegative(name, "Rate", o.Rate),
		below(name, "MeanDecay", o.MeanDecay, 1),
		below(name, "SquareDecay", o.SquareDecay, 1),
		notNegative(name, "Epsilon", o.Epsilon),
	)
}

// moments are the constants of one step of Adam, with its corrections for the start from 0.
type moments struct {
	rate         float64 // the correction of the mean included
	mean, square float64
	bias         float64 // by which the mean of the squares is too small
	epsilon      float64
}

func (o Adam) constants(t int, scale float64) moments {
	k := moments{
		rate:    scale * orDefault(o.Rate, 0.001),
		mean:    orDefault(o.MeanDecay, 0.9),
		square:  orDefault(o.SquareDecay, 0.999),
		epsilon: orDefault(o.Epsilon, 1e-8),
	}
	k.rate /= 1 - math.Pow(k.mean, float64(t))
	k.bias = 1 - math.Pow(k.square, float64(t))
	return k
}

// AMSGrad is Adam with a mean of squares that never falls, for which it converges where Adam may not (Reddi, Kale and
// Kumar, On the convergence of Adam and beyond, ICLR 2018, algorithm 2). It keeps Adam's corrections for the start from
// 0, as implementations do. The constants are those of Adam.
type AMSGrad struct {
	Rate        float64 // 0 means 0.001
	MeanDecay   float64 // 0 means 0.9
	SquareDecay float64 // 0 means 0.999
	Epsilon     float64 // 0 means 1e-8
}

func (AMSGrad) String() string { return "amsgrad" }

// Validate implements Validator.
func (o AMSGrad) Validate() error {
	return Adam(o).validate("AMSGrad")
}

// Memory returns 3: the running means of the gradient and of its square, and the largest of the latter.
func (AMSGrad) Memory() int { return 3 }

// Update implements Optimizer.
func (o AMSGrad) Update(z, g, memory []float64, t int, scale float64) {
	k := Adam(o).constants(t, scale)
	n := len(z)
	g, m, s, top := g[:n], memory[:n], memory[n:2*n], memory[2*n:3*n]
	for i := range z {
		m[i] = k.mean*m[i] + (1-k.mean)*g[i]
		s[i] = k.square*s[i] + (1-k.square)*g[i]*g[i]
		top[i] = max(top[i], s[i])
		z[i] -= k.rate * m[i] / (math.Sqrt(top[i]/k.bias) + k.epsilon)
	}
}

// Adagrad divides by the root of the sum of all squared gradients (Duchi, Hazan and Singer, Adaptive subgradient
// methods for online learning and stochastic optimization, JMLR 12, 2011; the diagonal form).
type Adagrad struct {
	Rate    float64 // 0 means 0.01
	Epsilon float64 // 0 means 1e-10
}

func (Adagrad) String() string { return "adagrad" }

// Validate implements Validator.
func (o Adagrad) Validate() error {
	return firstOf(notNegative("Adagrad", "Rate", o.Rate), notNegative("Adagrad", "Epsilon", o.Epsilon))
}

// Memory returns 1: the sum of squares.
func (Adagrad) Memory() int { return 1 }

// Update implements Optimizer.
func (o Adagrad) Update(z, g, memory []float64, _ int, scale float64) {
	rate, epsilon := scale*orDefault(o.Rate, 0.01), orDefault(o.Epsilon, 1e-10)
	g, s := g[:len(z)], memory[:len(z)]
	for i := range z {
		s[i] += g[i] * g[i]
		z[i] -= rate * g[i] / (math.Sqrt(s[i]) + epsilon)
	}
}

// RMSProp divides by the root of a running mean of squared gradients (Tieleman and Hinton, lecture 6.5 of Neural
// Networks for Machine Learning, 2012, whose constants these are). The mean starts from 0 and is not corrected for it.
type RMSProp struct {
	Rate    float64 // 0 means 0.001
	Decay   float64 // of the mean, below 1; 0 means 0.9
	Epsilon float64 // 0 means 1e-8
}

func (RMSProp) String() string { return "rmsprop" }

// Validate implements Validator.
func (o RMSProp) Validate() error {
	return firstOf(
		notNegative("RMSProp", "Rate", o.Rate), below("RMSProp", "Decay", o.Decay, 1), notNegative("RMSProp", "Epsilon", o.Epsilon),
	)
}

// Memory returns 1: the running mean.
func (RMSProp) Memory() int { return 1 }

// Update implements Optimizer.
func (o RMSProp) Update(z, g, memory []float64, _ int, scale float64) {
	rate, decay, epsilon := scale*orDefault(o.Rate, 0.001), orDefault(o.Decay, 0.9), orDefault(o.Epsilon, 1e-8)
	g, s := g[:len(z)], memory[:len(z)]
	for i := range z {
		s[i] = decay*s[i] + (1-decay)*g[i]*g[i]
		z[i] -= rate * g[i] / (math.Sqrt(s[i]) + epsilon)
	}
}
