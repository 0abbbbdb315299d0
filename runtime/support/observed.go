package support

import "github.com/sngdgen/sngdgen/runtime"

// seen are the rows of a model, all of them, and the weights of those that passes go over. The model has fields of its own for the columns of
// these rows, which it lists in their order in Rows.
type seen struct {
	Rows Rows
	W    Weights // of the rows that passes go over: those of a batch, or all
	N    float64 // the sum of these weights
}

// Others are the processes that have other rows of the data, nil where the model has all of them.
func (s *seen) Others() runtime.Reducer { return s.Rows.Others() }

func (s *seen) see(rows []int, columns []*[]float64) {
	s.W = s.Rows.Weights(rows)
	s.Rows.take(rows, columns)
	s.N = s.Rows.Total(s.W)
}

// Have takes the rows of a batch of a column, as they are counted in Rows, which was left for later, unless they have been taken.
func (s *seen) Have(column int, field *[]float64) {
	if *field == nil && len(s.Rows) > 0 {
		*field = s.Rows[column].Batch(s.Rows[0].listed)
	}
}

// batch is see for rows that a caller has chosen.
func (s *seen) batch(rows []int, columns []*[]float64) error {
	if err := s.Rows.CheckBatch(rows); err != nil {
		return err
	}
	s.see(rows, columns)
	return nil
}

// whole is batch for a sequence.
func (s *seen) whole(rows []int, columns []*[]float64) error {
	if err := CheckOrdered(rows); err != nil {
		return err
	}
	s.see(nil, columns)
	return nil
}

func forget(columns []*[]float64) {
	for _, c := range columns {
		*c = nil
	}
}

// Data are the rows of a likelihood, which embeds it.
type Data struct{ seen }

// Counts returns the number of rows, of distinct rows and the sum of the weights.
func (d *Data) Counts() (rows, distinct int, weight float64) {
	rows, distinct = d.Rows.Counts(d.W.Len())
	return rows, distinct, d.N
}

// Take validates a data set with so many columns, which are values of a variable, keeps its rows, and has passes go over all of them. Errors are those
// of CheckData.
func (d *Data) Take(data runtime.Data, width int, x *runtime.Parameter, columns ...*[]float64) error {
	return d.take(data, width, x, RowsOf, columns)
}

// TakeMerged is Take, with equal rows merged.
func (d *Data) TakeMerged(data runtime.Data, width int, x *runtime.Parameter, columns ...*[]float64) error {
	return d.take(data, width, x, MergedRowsOf, columns)
}

func (d *Data) take(data runtime.Data, width int, x *runtime.Parameter, of func(runtime.Data) (Rows, error), columns []*[]float64) error {
	if err := CheckData(data, width, x.Type, x.Name); err != nil {
		return err
	}
	rows, err := of(data)
	if err == nil {
		d.Keep(rows, columns...)
	}
	return err
}

// Keep makes rows those of the model, and has passes go over all of them.
func (d *Data) Keep(rows Rows, columns ...*[]float64) {
	d.Rows = rows
	d.see(nil, columns)
}

// See has passes go over the given rows of the data, nil for all of them. A row that the data do not have is a *runtime.SettingError. It
// allocates nothing unless there are more rows than in any batch before.
func (d *Data) See(rows []int, columns ...*[]float64) error { return d.batch(rows, columns) }

// SeeAll is See for rows that are a sequence, of which there are no batches: a *runtime.SettingError for any rows but nil.
func (d *Data) SeeAll(rows []int, columns ...*[]float64) error { return d.whole(rows, columns) }

// Drop forgets the rows.
func (d *Data) Drop(columns ...*[]float64) {
	*d = Data{}
	forget(columns)
}

// ScaledData are the rows of a posterior, which embeds it: those of a batch stand for all.
type ScaledData struct {
	seen
	Total float64 // weight of all rows
	Scale float64 // how much a row counts: the weight of all rows over that of those that passes go over
}

// Counts returns the number of rows, twice, and the sum of the weights of all.
func (d *ScaledData) Counts() (rows, distinct int, weight float64) {
	return d.Rows.Given(), d.Rows.Given(), d.Total
}

// Keep is that of Data.
func (d *ScaledData) Keep(rows Rows, columns ...*[]float64) {
	d.Rows = rows
	d.see(nil, columns)
	d.Total, d.Scale = rows.Weight(), 1
}

// See is that of Data.
func (d *ScaledData) See(rows []int, columns ...*[]float64) error {
	return d.rescale(d.batch(rows, columns))
}

// SeeAll is that of Data.
func (d *ScaledData) SeeAll(rows []int, columns ...*[]float64) error {
	return d.rescale(d.whole(rows, columns))
}

func (d *ScaledData) rescale(err error) error {
	if err == nil {
		d.Scale = d.Total / d.N
	}
	return err
}

// Drop is that of Data.
func (d *ScaledData) Drop(columns ...*[]float64) {
	*d = ScaledData{Scale: 1}
	forget(columns)
}

// One makes it that of a model without data, whose log-density counts as that of one row.
func (d *ScaledData) One() {
	d.W, d.N, d.Scale = WeightsOf(nil, 1), 1, 1
}
