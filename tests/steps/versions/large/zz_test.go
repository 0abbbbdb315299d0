package main
import ("testing";"fmt";"math/rand/v2";"github.com/sngdgen/sngdgen/generated";"github.com/sngdgen/sngdgen/runtime";goruntime "runtime")
func BenchmarkLarge(b *testing.B) {
 goruntime.GOMAXPROCS(1)
 for _, t := range tasks { b.Run(fmt.Sprint(t), func(b *testing.B){
	lookup, _ := generated.Lookup(t.name)
	m, rng := lookup(), rand.New(rand.NewPCG(1, 2))
	rows := make([]float64, t.rows*t.columns)
	for i := range rows { rows[i] = t.number(rng, i%t.columns) }
	t.resize(m)
	m.SetData(runtime.Data{Values: rows, Columns: t.columns})
	if t.draws > 0 { m.(runtime.Variational).SetDraws(t.draws) }
	size := 0
	for _, b := range m.Blocks() { size = max(size, b.Offset+b.Len) }
	z, v, c := make([]float64, size), make([]float64, size), make([]float64, size)
	start := 0
	if t.components > 0 { start = m.Info().Starts }
	if err := m.Start(z, start, rng); err != nil { b.Fatal(err) }
	take := t.taking(m, rng)
	f := func() { m.Gradients(v, c, z) }
	if t.function == "NaturalGradient" { f = func() { take(); m.NaturalGradient(v, z) } }
	for b.Loop() { f() }
 })}
}
