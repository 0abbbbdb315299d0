package special

// Follow prepares for what another one has been prepared for. Tables that have been filled are kept as long as that is the same; they may differ
// from those of the other one, what is returned may not.

// Follow prepares for the argument of another one.
func (g *GammaDiffs) Follow(other *GammaDiffs) {
	known, same := g.known, g.r == other.r
	g.r, g.prepared, g.steps, g.top = other.r, other.prepared, other.steps, other.top
	g.logBelow, g.sumBelow, g.inverse, g.logTop = other.logBelow, other.sumBelow, other.inverse, other.logTop
	g.lgammaTop, g.digammaTop = other.lgammaTop, other.digammaTop
	if g.known = 0; same {
		g.known = known
	}
}

// Follow prepares for the degrees of freedom of another one.
func (t *TDistribution) Follow(other *TDistribution) {
	t.nu, t.start, t.scale, t.constant = other.nu, other.start, other.scale, other.constant
}

// Follow prepares for the degrees of freedom of another one.
func (q *TQuantiles) Follow(other *TQuantiles) { q.nu, q.start = other.nu, other.start }
