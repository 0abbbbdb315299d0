package special

// Follow prepares for what another one has been prepared for. Tables that have been filled are kept as long as that is the same; they may differ
// from those of the other one, what is returned may not.

// Follow prepares for the argument of another one.
func (g *GammaDiffs) Follow(other *GammaDiffs) {
	known, same := g.known, g.r == other.r
	lgammas, digammas := g.table.Lgammas, g.table.Digammas
	g.r, g.prepared, g.known, g.table = other.r, other.prepared, 0, other.table
	if same {
		g.known, g.table.Lgammas, g.table.Digammas = known, lgammas, digammas
	}
}

// Follow prepares for the degrees of freedom of another one.
func (t *TDistribution) Follow(other *TDistribution) {
	t.nu, t.tabled, t.fade, t.constant = other.nu, other.tabled, other.fade, other.constant
	t.start, t.scale, t.steep, t.fallen = other.start, other.scale, other.steep, other.fallen
	t.forget()
}

// Follow prepares for the degrees of freedom of another one.
func (q *TQuantiles) Follow(other *TQuantiles) { q.nu, q.start = other.nu, other.start }
