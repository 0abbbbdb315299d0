package check

// sites compares the log joint density that expectation propagation has taken apart with the formulas as written, and the gradient of
// its quadratic part with differences.
func (c *checker) sites() {
	v := c.d.Variational
	if v == nil || v.Sites == nil {
		return
	}
	rng := c.stream("sites")
	written, joint := c.g.Add(c.asWritten()...), v.Sites.Joint(c.g, c.p.Variational)
	for range gradientPoints {
		env := c.modelEnv(rng)
		env.Set(c.p.Variational.Scale.Name, 1)
		at := c.draw(rng, variables(v.Model.Latent), 0.7, c.known)
		for i, q := range at.vars {
			env.Symbols[q.sym.Name] = at.values[i]
		}
		if got, want := value(joint, env), value(written, env); finite(want) && !sameNumber(got, want) {
			c.bug("the factors of the log joint density add up to %.12g, but as written it is %.12g, at %v", got, want, at)
			return
		}
		if !c.slopes(at, env, v.Sites.Quadratic, v.Sites.Gradient, "derived gradient of the quadratic part, by ") {
			return
		}
	}
}
