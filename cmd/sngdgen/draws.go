package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// writeDraws writes draws of a posterior to a file, in the format that its name says.
func (s *session) writeDraws(path string, a *estimate.Approximation) error {
	write := writeCmdStan
	if strings.EqualFold(filepath.Ext(path), ".json") {
		write = writeInferenceData
	}
	if err := s.writeWhole(path, func(w io.Writer) error { return write(w, a) }); err != nil {
		return fmt.Errorf("%s: cannot write the draws: %w", path, cause(err))
	}
	return nil
}

// statistics are what goes with every draw, by the names of CmdStan's variational methods, which have two underscores more there:
// the logarithms of the joint density, of the density of the approximation, and of the importance ratio. Draws that have been
// resampled count alike: nobody is to weigh them again.
func statistics(d *estimate.PosteriorDraws) []statistic {
	out := []statistic{{"lp", d.LogJoint}, {"lp_approx", d.LogDensity}}
	if d.Resampled {
		return out
	}
	return append(out, statistic{"log_weight", d.LogWeights()})
}

type statistic struct {
	name   string
	values []float64
}

// writeCmdStan writes the CSV that CmdStan writes, with every digit, as ArviZ's from_cmdstan reads it: first statistics, then the
// latent variables, mu of a number, z.1 of a vector, S.1.2 of a matrix, then as generated quantities the data that the model drew.
func writeCmdStan(w io.Writer, a *estimate.Approximation) error {
	d := a.Sample
	stats := statistics(d)
	out := &estimate.Draws{}
	for _, s := range stats {
		out.Columns = append(out.Columns, s.name+"__")
	}
	for _, p := range d.Parts {
		out.Columns = append(out.Columns, dotted(p.Name, p.Shape)...)
	}
	var predicted [][]float64
	if p := d.Predicted; p != nil {
		for _, part := range p.Parts {
			out.Columns = append(out.Columns, dotted(part.Name, part.Shape)...)
		}
		predicted = slices.Collect(slices.Chunk(p.Values, len(p.Observed)))
	}
	width := len(d.Columns)
	for i := range d.Rows() {
		for _, s := range stats {
			out.Values = append(out.Values, s.values[i])
		}
		out.Values = append(out.Values, d.Values[i*width:(i+1)*width]...)
		if predicted != nil {
			out.Values = append(out.Values, predicted[i]...)
		}
	}
	return printDraws(w, out)
}

// dotted are the names of the entries of a variable, row by row.
func dotted(name string, shape []int) []string {
	names := []string{name}
	for _, length := range shape {
		var longer []string
		for _, n := range names {
			for i := range length {
				longer = append(longer, fmt.Sprintf("%s.%d", n, i+1))
			}
		}
		names = longer
	}
	return names
}

// writeInferenceData writes the groups posterior, sample_stats and, of data that the model drew, posterior_predictive and observed_data of ArviZ's InferenceData as JSON: of each variable an array of
// chains, of which there is one, of draws, of entries.
func writeInferenceData(w io.Writer, a *estimate.Approximation) error {
	d := a.Sample
	stats := statistics(d)
	for _, s := range stats {
		if i := slices.IndexFunc(s.values, func(x float64) bool { return math.IsInf(x, 0) || math.IsNaN(x) }); i >= 0 {
			return fmt.Errorf("%s of draw %d is %v, for which JSON has no number: write CSV", s.name, i+1, s.values[i])
		}
	}
	out := bufio.NewWriter(w)
	out.WriteString(`{"posterior": {`)
	writeVariables(out, d.Parts, d.Values, d.Rows())
	if p := d.Predicted; p != nil {
		out.WriteString("},\n\"posterior_predictive\": {")
		writeVariables(out, p.Parts, p.Values, d.Rows())
		out.WriteString("},\n\"observed_data\": {")
		writeObserved(out, p)
	}
	out.WriteString("}," + coordinates(a) + "\n\"sample_stats\": {")
	for i, s := range stats {
		if i > 0 {
			out.WriteString(",\n  ")
		}
		writeChain(out, s.name, d.Rows(), nil, func(row int) []float64 { return s.values[row:][:1] })
	}
	attributes, err := json.Marshal(map[string]any{"inference_library": "sngdgen", "problem": a.Problem, "target": a.Target,
		"surrogate": a.Surrogate, "method": a.Method, "seed": a.Seed, "resampled": fmt.Sprint(d.Resampled)})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "},\n\"posterior_attrs\": %s,\n\"sample_stats_attrs\": %[1]s}\n", attributes)
	return out.Flush()
}

// coordinates says what the entries of vectors, and the rows and columns of matrices, are called, by the names that ArviZ gives to dimensions;
// nothing where none have names.
func coordinates(a *estimate.Approximation) string {
	of := map[string][]string{}
	for name, list := range a.Labels {
		of[name+"_dim_0"] = list
	}
	for name, lists := range a.MatrixLabels {
		for k, list := range lists {
			if list != nil {
				of[fmt.Sprintf("%s_dim_%d", name, k)] = list
			}
		}
	}
	if len(of) == 0 {
		return ""
	}
	text, err := json.Marshal(of)
	if err != nil { // of strings there is none
		panic(err)
	}
	return fmt.Sprintf("\n\"coords\": %s,", text)
}

// writeVariables writes the draws of some variables, which stand one after the other in every row.
func writeVariables(out *bufio.Writer, parts []estimate.Part, values []float64, rows int) {
	width, at := len(values)/rows, 0
	for i, p := range parts {
		if i > 0 {
			out.WriteString(",\n  ")
		}
		size := len(dotted("", p.Shape))
		writeChain(out, p.Name, rows, p.Shape, func(row int) []float64 { return values[row*width+at:][:size] })
		at += size
	}
}

// writeObserved writes the data that were observed.
func writeObserved(out *bufio.Writer, p *estimate.Predictions) {
	at := 0
	for i, part := range p.Parts {
		if i > 0 {
			out.WriteString(",\n  ")
		}
		size := len(dotted("", part.Shape))
		fmt.Fprintf(out, "%q: ", part.Name)
		writeNested(out, part.Shape, p.Observed[at:at+size])
		at += size
	}
}

// writeChain writes a member of an object: the draws of a variable of this shape, as one chain.
func writeChain(out *bufio.Writer, name string, rows int, shape []int, entries func(row int) []float64) {
	fmt.Fprintf(out, "%q: [[", name)
	for row := range rows {
		if row > 0 {
			out.WriteByte(',')
		}
		writeNested(out, shape, entries(row))
	}
	out.WriteString("]]")
}

// writeNested writes a number, or arrays of arrays of them.
func writeNested(out *bufio.Writer, shape []int, x []float64) {
	if len(shape) == 0 {
		out.Write(strconv.AppendFloat(out.AvailableBuffer(), x[0], 'g', -1, 64))
		return
	}
	each := len(x) / shape[0]
	for i := range shape[0] {
		out.WriteByte("[,"[min(i, 1)])
		writeNested(out, shape[1:], x[i*each:(i+1)*each])
	}
	out.WriteByte(']')
}
