// Command negbin repeats the paper's first experiment: maximum likelihood for a negative binomial on the ticks of 82
// sheep, by SNGD with a gamma surrogate and by the methods it is compared with (So and Turner 2024, section 4.1 and
// appendix C). It counts the iterations that each takes from ten random starts, and prints tables:
//
//	go run ./tests/paper/negbin > tests/paper/negbin/TABLE.md
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/sngdgen/sngdgen/tests/sheep"
)

func main() {
	starts := flag.Int("starts", sheep.Starts, "number of random starts")
	flag.Parse()
	if err := report(os.Stdout, *starts); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// notes is the text around the table.
//
//go:embed notes.md
var notes string

// compared is how many rows of the table are the paper's methods: the first half with exact line search, the second with
// the published grid.
const compared = 10

// report runs the experiment and writes the tables.
func report(w io.Writer, starts int) error {
	rows, err := experiment(methods, starts)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, notes, starts, table(rows), curves(rows[:compared]))
	return err
}
