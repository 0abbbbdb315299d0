package vector

// Matrix is a matrix in memory: element i, j is Data[i*Row + j*Column].
type Matrix struct {
	Data        []float64
	Row, Column int
}

// Extent is how many numbers of the memory of a matrix an r x c part takes.
func (a Matrix) extent(r, c int) int {
	if r == 0 || c == 0 {
		return 0
	}
	return (r-1)*a.Row + (c-1)*a.Column + 1
}

// at is the part that begins at row i and column j.
func (a Matrix) at(i, j int) *float64 { return &a.Data[i*a.Row+j*a.Column] }

const (
	// deepest is how many terms are summed in registers at a time: so many rows of a panel of B stay in the cache.
	deepest = 384
	// deep is the same where there are more terms.
	deep = 256
	// shallower is the same where every term is in another line, and another page, of A too.
	shallower = 128
	// work bounds the multiplications of a call.
	work = 1 << 20
	// full is more than the columns of any panel.
	full = 1 << 40
)

// Mul is a product: it adds Alpha A diag(W) B to C, or, with Overwrite, writes it there, where Alpha has to be 1.
type Mul struct {
	// The rows of C are contiguous, those of B too or its columns.
	C, A, B   Matrix
	Alpha     float64
	W         []float64 // weights of the terms, or nil
	Lower     bool      // the lower triangle of C alone
	Overwrite bool
	// Terms that are 0 are left out where A is 0 above its diagonal, or B below its own.
	LowerA, UpperB bool
}

// depth is how many of k terms are summed in registers.
func (p *Mul) depth(k int) int {
	if p.A.Column > 256 {
		return shallower
	}
	return depthOf(k)
}

// depthOf is depth where terms that follow each other are near each other in A.
func depthOf(k int) int {
	if k > deepest {
		return deep
	}
	return deepest
}

// Run does it, for A of m x k and B of k x n.
func (p *Mul) Run(m, k, n int) {
	if m <= 0 || k <= 0 || n <= 0 {
		return
	}
	_, _, _ = p.C.Data[:p.C.extent(m, n)], p.A.Data[:p.A.extent(m, k)], p.B.Data[:p.B.extent(k, n)]
	if p.B.Column == 1 && (m < many || !p.crowded()) {
		for i := 0; i < m; i += blockRows {
			p.inPlace(i, min(i+blockRows, m), k, n)
		}
		return
	}
	depth := p.depth(k)
	for l := 0; l < k; l += depth {
		if terms := min(depth, k-l); terms <= shallow {
			p.packedFew(m, l, terms, n)
		} else {
			p.packed(m, l, terms, n)
		}
	}
}

const (
	// blockRows is how many rows of A stay in the cache while all panels of B pass.
	blockRows = 256
	// widest is the number of columns of the widest panel.
	widest = 24
	// many is the number of rows from which on copies pay.
	many = 96
	// shallow is the number of terms up to which a small copy does.
	shallow = 64
)

// farApart is up to which distance of the rows of B a panel of it is used where it lies: beyond, a copy saves more time than it takes, of narrow panels later than of wide ones.
func farApart() int {
	if 3*lanes() == widest {
		return 1024
	}
	return 2048
}

// crowded reports whether rows of B are so far apart that a panel does not stay in the cache: very far, or by a multiple of a power of
// two, as then they compete for a few places. Products have the same bits either way.
func (p *Mul) crowded() bool {
	return p.B.Row > farApart() || p.B.Row > 256 && p.B.Row%64 == 0
}

// inPlace does rows of C without copies: all terms of them, so that they are still near when the next ones come.
func (p *Mul) inPlace(first, m, k, n int) {
	depth := p.depth(k)
	for l := 0; l < k; l += depth {
		for j := 0; j < n; {
			columns := panelColumns(n-j, p.Lower)
			if terms := p.terms(l, min(depth, k-l), j+columns); terms > 0 {
				p.panel(p.B.at(l, j), p.B.Row, first, m, l, terms, j, columns)
			}
			j += columns
		}
	}
}

// packed does the terms l to l+k-1 with a copy of every panel of B.
func (p *Mul) packed(m, l, k, n int) {
	var copies [deepest * widest]float64
	p.copied(copies[:], m, l, k, n)
}

// packedFew is packed for less terms.
func (p *Mul) packedFew(m, l, k, n int) {
	var copies [shallow * widest]float64
	p.copied(copies[:], m, l, k, n)
}

func (p *Mul) copied(copies []float64, m, l, k, n int) {
	for j := 0; j < n; { // all rows at once, as copies take time
		columns := panelColumns(n-j, p.Lower)
		if terms := p.terms(l, k, j+columns); terms > 0 {
			from := p.B.Data[l*p.B.Row+j*p.B.Column:]
			if p.B.Column == 1 {
				for i := range terms {
					copy(copies[i*widest:][:columns], from[i*p.B.Row:])
				}
			} else {
				Transpose(copies, widest, from, p.B.Column, columns, terms)
			}
			p.panel(&copies[0], widest, 0, m, l, terms, j, columns)
		}
		j += columns
	}
}

// terms is how many of the k terms from l on columns before one have, as those behind the diagonal of B are 0.
func (p *Mul) terms(l, k, before int) int {
	if p.UpperB {
		return min(k, before-l)
	}
	return k
}

// panelColumns is how many of the columns that are left the next panel has. Panels of three vectors have no masks with AVX2. Two panels of two
// vectors take less time than one of three and one of one, which waits for the left factor; of a triangle the last panel has few rows.
func panelColumns(left int, triangle bool) int {
	width := 3 * lanes()
	if width == widest && left > width && left <= width+lanes() && !triangle {
		return 2 * lanes()
	}
	if left >= width || width == widest {
		return min(left, width)
	}
	return min(left, 8)
}

// panel does some columns of rows of C. Where its rows begin on the diagonal, the lower triangle has less of them at first.
func (p *Mul) panel(b *float64, ldb int, first, m, l, k, j, columns int) {
	if p.Lower {
		first = max(first, j)
	}
	if rows := lanes(); p.Lower && first == j && k >= worthwhile {
		for some := rows; some < columns && m-first > rows; some += rows {
			p.rows(b, ldb, first, first+rows, l, k, j, some)
			first += rows
		}
	}
	p.rows(b, ldb, first, m, l, k, j, columns)
}

// worthwhile is the number of terms from which on calls for less columns pay.
const worthwhile = 24

// stripRows is how many rows of a triangle have the same number of terms: those that a kernel takes together.
const stripRows = 8

// rows does rows of a panel; of a triangle in strips, which have the terms up to their diagonal.
func (p *Mul) rows(b *float64, ldb int, first, m, l, k, j, columns int) {
	if !p.LowerA {
		p.strip(b, ldb, first, m, l, k, j, columns)
		return
	}
	for first < m {
		next := first + stripRows
		if m-next < stripRows { // less are done with those before them
			next = m
		}
		if terms := min(k, next-l); terms > 0 {
			p.strip(b, ldb, first, next, l, terms, j, columns)
		}
		first = next
	}
}

// strip does rows of a panel with so many terms, in calls that are short.
func (p *Mul) strip(b *float64, ldb int, first, m, l, k, j, columns int) {
	overwrite := 0
	if p.Overwrite && l == 0 {
		overwrite = 1
	}
	var w *float64
	if p.W != nil {
		w = &p.W[l : l+k][0]
	}
	rows := max(work/(k*columns), 8)
	for i := first; i < m; i += rows {
		lower := full
		if p.Lower {
			lower = i - j + 1
		}
		mulPanel(p.C.at(i, j), p.C.Row, p.A.at(i, l), p.A.Row, p.A.Column, b, ldb, w, min(rows, m-i), k, columns, p.Alpha,
			lower, overwrite)
	}
}
