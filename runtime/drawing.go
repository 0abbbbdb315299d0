package runtime

import (
	"math"
	"math/rand/v2"
)

// Drawing says how the normal numbers of the draws of a Variational depend on each other. Each draw by itself is distributed as
// the model has it, whatever Drawing is, so that gradients are unbiased. Other random numbers are left as the model makes them.
type Drawing int

const (
	// Automatic is OrthogonalPairs where a mixture component, or a model that is no mixture, has at least two draws for each
	// normal number that a draw takes, and Simplex where there are fewer.
	Automatic Drawing = iota
	// Independent leaves the draws as the model makes them: independent, or in pairs where the spec says antithetic. It is what
	// So and Turner do.
	Independent
	// OrthogonalPairs turns the normal vectors of the first half of the draws, as many at a time as they have numbers, so that
	// they are orthogonal to each other, and leaves their lengths: a random rotation, with lengths from the chi distribution (Yu,
	// Suresh, Choromanski, Holtmann-Rice and Kumar, Orthogonal random features, NIPS 2016). The second half are their negatives.
	OrthogonalPairs
	// Simplex turns the normal vectors of as many draws as they have numbers, and one more, so that they point to the corners of a
	// regular simplex, which sum to 0, and leaves their lengths (Reid, Choromanski, Likhosherstov and Weller, Simplex random
	// features, ICML 2023). Where the spec says antithetic it is OrthogonalPairs.
	Simplex
)

var drawingNames = [...]string{"automatic", "independent", "orthogonal pairs", "simplex"}

// String returns the name of the way.
func (d Drawing) String() string {
	if d.validate() != nil {
		return "unknown"
	}
	return drawingNames[d]
}

func (d Drawing) validate() error {
	if d >= 0 && int(d) < len(drawingNames) {
		return nil
	}
	return &SettingError{"Stochastic.Drawing", int(d), "Automatic, Independent, OrthogonalPairs or Simplex"}
}

// Draw makes new noise of v, as Descend does, except that it allocates.
func (d Drawing) Draw(v Variational, rng *rand.Rand) {
	var f frames
	f.reset(v, d)
	f.draw(v, rng)
}

// frames turns the normal vectors of draws: those of all names, one after the other, are one vector. Each component of a mixture
// has draws of its own, a part.
type frames struct {
	arrays            []Noise // of normal numbers, none where draws stay as they are
	parts, draws, dim int     // draws of a part, and the normal numbers of each
	pairs             bool
	rows              []float64 // of a part, draw by draw
	lengths           []float64
}

// reset looks at how a model makes its draws.
func (f *frames) reset(v Variational, how Drawing) {
	*f = frames{arrays: f.arrays[:0], parts: 1, rows: f.rows, lengths: f.lengths}
	if how == Independent {
		return
	}
	for _, a := range v.Noise() {
		if a.Spherical {
			f.arrays = append(f.arrays, a)
			f.dim += a.Length
		}
	}
	if m, ok := v.(Mixture); ok {
		f.parts = max(m.Components(), 1)
	}
	f.draws = v.Draws() / f.parts
	f.pairs = how == OrthogonalPairs || how == Automatic && f.draws >= 2*f.dim
	f.rows, f.lengths = resized(f.rows, f.draws*f.dim), resized(f.lengths, f.draws)
}

// draw makes new noise. It does not allocate.
func (f *frames) draw(v Variational, rng *rand.Rand) {
	v.Draw(rng)
	if len(f.arrays) == 0 {
		return
	}
	for part := range f.parts {
		f.gather(part)
		if f.pairs || f.paired() {
			half := (f.draws + 1) / 2
			f.orthogonal(half)
			for i, x := range f.rows[:f.draws/2*f.dim] {
				f.rows[half*f.dim+i] = -x
			}
		} else {
			f.simplices()
		}
		f.scatter(part)
	}
}

// paired reports whether the model itself makes draws in pairs, of which the second are negatives of the first. The rows of
// a spec's antithetic draws are equal to the last bit; those of others never are.
func (f *frames) paired() bool {
	half := f.draws / 2
	if f.draws%2 != 0 {
		return false
	}
	other := f.rows[half*f.dim:]
	for i, x := range f.rows[:half*f.dim] {
		if other[i] != -x {
			return false
		}
	}
	return true
}

// gather collects the normal numbers of a part in rows.
func (f *frames) gather(part int) {
	at := 0
	for _, a := range f.arrays {
		values := a.Values[part*f.draws*a.Length:]
		for i := range f.draws {
			copy(f.rows[i*f.dim+at:], values[i*a.Length:(i+1)*a.Length])
		}
		at += a.Length
	}
}

// scatter is the reverse of gather.
func (f *frames) scatter(part int) {
	at := 0
	for _, a := range f.arrays {
		values := a.Values[part*f.draws*a.Length:]
		for i := range f.draws {
			copy(values[i*a.Length:(i+1)*a.Length], f.rows[i*f.dim+at:])
		}
		at += a.Length
	}
}

// orthogonal makes the first rows orthogonal, as many at a time as they have entries.
func (f *frames) orthogonal(rows int) {
	for ; rows > 0; rows -= f.dim {
		n := min(f.dim, rows)
		f.turn(rows-n, n, n)
	}
}

// simplices makes the rows the corners of simplices, one corner more at a time than they have entries.
func (f *frames) simplices() {
	for rows := f.draws; rows > 0; {
		n := min(f.dim+1, rows)
		if rows == n+1 && n > 2 {
			n-- // the last one is not to be alone
		}
		f.turn(rows-n, n, n-1)
		rows -= n
	}
}

// turn makes n rows orthogonal where k is n, by the modified method of Gram and Schmidt, or the corners of a simplex where k is one
// less. The directions of independent normal vectors become a random rotation, and their lengths are independent of that: they stay.
func (f *frames) turn(first, n, k int) {
	if k == 0 {
		return
	}
	d := f.dim
	frame := f.rows[first*d : (first+n)*d]
	row := func(i int) []float64 { return frame[i*d : (i+1)*d] }
	for i := range n {
		f.lengths[i] = math.Sqrt(dot(row(i), row(i)))
	}
	for i := range k {
		x := row(i)
		for j := range i {
			addScaled(x, -dot(x, row(j)), row(j))
		}
		scale(x, 1/math.Sqrt(dot(x, x)))
	}
	if k < n {
		corners(frame, k, d)
	}
	for i := range n {
		scale(row(i), f.lengths[i])
	}
}

// corners makes of k orthonormal rows of length d, and of room for one more, the corners of a regular simplex: the last is the
// direction of the sum s of the rows, the others are sqrt(1+1/k) times a row less (1+sqrt(k+1))/k^(3/2) s.
func corners(frame []float64, k, d int) {
	sum := frame[k*d : (k+1)*d]
	clear(sum)
	for i := range k {
		addScaled(sum, 1, frame[i*d:(i+1)*d])
	}
	n := float64(k)
	own, all := math.Sqrt(1+1/n), (1+math.Sqrt(n+1))/(n*math.Sqrt(n))
	for i := range k {
		x := frame[i*d : (i+1)*d]
		scale(x, own)
		addScaled(x, -all, sum)
	}
	scale(sum, 1/math.Sqrt(n))
}

// scale multiplies x by t.
func scale(x []float64, t float64) {
	for i := range x {
		x[i] *= t
	}
}
