package engine

// sites are the functions of the factors that see a few linear predictors each.
type sites struct {
	parts []site
}

// site is a part of the joint density that has one factor, or one for each row.
type site struct {
	byRow        bool
	factor       *unit
	xs           []*[]float64
	coefficients []*unit
	g            []*[]float64
}

// siteParts compiles the functions of the factors, unless they have been.
func (m *posterior) siteParts() []site {
	if m.sites.parts == nil {
		*m.field(factorColumn) = make([]float64, block)
		for k, part := range m.d.Variational.Sites.Parts {
			names := part.Names(k)
			s := site{byRow: part.ByRow, factor: m.function(names.Factor)[0]}
			for j, name := range names.Coefficients {
				coefs := m.function(name)[0]
				s.xs, s.coefficients, s.g = append(s.xs, s.factor.argument(names.Predictors[j])), append(s.coefficients, coefs), append(s.g, coefs.argument("g"))
			}
			m.sites.parts = append(m.sites.parts, s)
		}
	}
	return m.sites.parts
}

// factorColumn is the field with the logarithms of a factor at some predictors.
const factorColumn = "factorLogs"

// factors is how many factors a part has.
func (m *posterior) factors(s site) int {
	if s.byRow {
		return m.w.Len()
	}
	return 1
}

func (m *posterior) factorSizes() (d, factors, predictors int) {
	for _, s := range m.siteParts() {
		factors += m.factors(s)
		predictors += m.factors(s) * len(s.xs)
	}
	return m.width(m.d.Problem.Target.Variable.Sym.Type), factors, predictors
}

func (m *posterior) predictors(i int) int {
	for _, s := range m.siteParts() {
		n := m.factors(s)
		if i < n {
			return len(s.xs)
		}
		i -= n
	}
	return 0
}

func (m *posterior) coefficients(a, w []float64) {
	clear(a)
	width := m.width(m.d.Problem.Target.Variable.Sym.Type)
	for _, s := range m.siteParts() {
		n := m.factors(s)
		for m.row = range n {
			for j, coefficients := range s.coefficients {
				*s.g[j] = a[(m.row*len(s.xs)+j)*width:][:width]
				coefficients.run()
			}
		}
		if s.byRow {
			m.w.Copy(w)
		} else {
			w[0] = 1
		}
		a, w = a[n*len(s.xs)*width:], w[n:]
	}
}

func (m *posterior) factorLogs(dst, xs []float64, i int) {
	for _, s := range m.siteParts() {
		n := m.factors(s)
		if i < n {
			m.row = i
			for j, to := range s.xs {
				*to = xs[j*len(dst):][:len(dst)]
			}
			s.factor.run()
			copy(dst, *m.field(factorColumn))
			return
		}
		i -= n
	}
}

func (m *posterior) quadratic(g, z []float64) float64 {
	e := m.entry(quadratic)
	*e.args[0], *e.args[1] = g, z
	return e.value()
}

func (m *posterior) fromMoments(z, moments []float64) error {
	m.function("fromMoments")[0].set("theta", moments)
	m.startOf("fromMoments", "z", z, nil)
	return m.inside(z, "")
}
