package steps

type interfaces struct{ s shape }

type pair struct {
	a any
	b float64
}

func (p *interfaces) FisherSurrogate(dst, z, xs, ws []float64) any {
	var a any = z[0]        // want `conversion of float64 to the interface any may allocate, in FisherSurrogate`
	a = 1                   // want `conversion of int to the interface any may allocate`
	p.s = square{1}         // want `conversion of square to the interface shape may allocate`
	_ = any(z)              // want `conversion of \[\]float64 to the interface any may allocate`
	takes(z[0], 2)          // want `conversion of float64 to the interface any may allocate`
	takes(two())            // want `conversion of float64 to the interface any may allocate`
	a, _ = two()            // want `conversion of float64 to the interface any may allocate`
	_ = pair{a: z[0], b: 1} // want `conversion of float64 to the interface any may allocate`
	_ = pair{z[0], 1}       // want `conversion of float64 to the interface any may allocate`
	_ = [1]any{z[0]}        // want `conversion of float64 to the interface any may allocate`
	if a == z[0] {          // want `conversion of float64 to the interface any may allocate`
		a = nil
	}
	switch a {
	case z[0]: // want `conversion of float64 to the interface any may allocate`
	}
	if p.s != nil {
		a = p.s
	}
	_ = a.(float64)   // want `type assertion works on an interface`
	switch a.(type) { // want `type assertion works on an interface` `type assertion works on an interface`
	}
	if z[0] < 0 {
		panic(a) // want `panic with a value that is no constant makes an interface`
	}
	if z[0] < 1 {
		return nil
	}
	return z[0] // want `conversion of float64 to the interface any may allocate`
}

func takes(a any, b float64) {}

func two() (float64, float64) { return 1, 2 }
