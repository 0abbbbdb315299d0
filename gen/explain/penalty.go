package explain

// penalty writes what may be subtracted from the log-likelihood.
func (e *explainer) penalty() {
	q := e.d.Penalty
	if q == nil {
		return
	}
	e.f.heading("Penalty")
	e.f.text("Where a fit is to be penalised, this is subtracted from the log-likelihood of all rows:")
	e.abbreviated(e.newShorthand(), []equation{{side: side{"Q", "Q"}, node: q.Formula}})
}
