// Package browser uses the page of the studio as people do, in a real Chromium: with a server, and as files without one. It is a
// module of its own, so that nobody needs its libraries who does not run it.
//
//	go test -C tests/browser . -shots DIR
package browser

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var shots = flag.String("shots", "", "folder for the screenshots")

// sheepR is the estimate of r for the ticks on sheep: that of internal/fitfixture, to the digits of the page.
const sheepR = 1.7775

// browsers are the names of those that speak the protocol.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless_shell"}

func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("no browser: none of %s is installed (Debian's package is chromium)", strings.Join(browsers, ", "))
	return ""
}

// goCommand runs the go command at the root of the project.
func goCommand(t *testing.T, args ...string) {
	t.Helper()
	c := exec.Command("go", args...)
	c.Dir = filepath.Join("..", "..")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// serve starts the command and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "sngdgen")
	goCommand(t, "build", "-o", binary, "./cmd/sngdgen")
	c := exec.Command(binary, "studio", "--port", "0")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		if err := c.Wait(); c.ProcessState.ExitCode() != 130 {
			t.Errorf("after Ctrl-C: %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// files builds the page without a server and returns the address of a host of files that knows nothing of it.
func files(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	goCommand(t, "run", "./internal/studio/static", dir)
	s := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(s.Close)
	return s.URL + "/"
}

// visitor is somebody with a browser at the page.
type visitor struct {
	*testing.T
	ctx     context.Context
	address string
	lock    sync.Mutex
	faults  []string
}

func visit(t *testing.T, address string) *visitor {
	path := chromium(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(1440, 1000), chromedp.NoSandbox)
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, shut := chromedp.NewContext(ctx)
	t.Cleanup(shut)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	v := &visitor{T: t, ctx: ctx, address: address}
	chromedp.ListenTarget(ctx, v.listen)
	v.do(network.Enable(), log.Enable(), chromedp.Navigate(address))
	return v
}

// listen collects errors of scripts, and requests to others.
func (v *visitor) listen(event any) {
	fault := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		fault = e.ExceptionDetails.Error()
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError {
			fault = e.Entry.Text + " " + e.Entry.URL
		}
	case *network.EventRequestWillBeSent:
		u, err := url.Parse(e.Request.URL)
		own, _ := url.Parse(v.address)
		if err != nil || u.Host != own.Host && u.Scheme != "blob" && u.Scheme != "data" {
			fault = "a request to " + e.Request.URL
		}
	}
	if fault != "" {
		v.lock.Lock()
		v.faults = append(v.faults, fault)
		v.lock.Unlock()
	}
}

func (v *visitor) do(actions ...chromedp.Action) {
	v.Helper()
	if err := chromedp.Run(v.ctx, actions...); err != nil {
		v.lock.Lock()
		defer v.lock.Unlock()
		v.Fatalf("%v; errors of the page: %q", err, v.faults)
	}
}

func (v *visitor) text(selector string) (text string) {
	v.Helper()
	v.do(chromedp.Text(selector, &text, chromedp.ByQuery))
	return text
}

// script evaluates an expression, or waits for the promise that it is.
func script[T any](v *visitor, expression string) (out T) {
	v.Helper()
	v.do(chromedp.Evaluate(expression, &out, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return out
}

// until waits for an expression to be true.
func (v *visitor) until(expression string) {
	v.Helper()
	if err := chromedp.Run(v.ctx, chromedp.Poll(expression, nil, chromedp.WithPollingTimeout(time.Minute))); err != nil {
		v.shot("failed")
		v.lock.Lock()
		defer v.lock.Unlock()
		v.Fatalf("%s: %v; errors of the page: %q", expression, err, v.faults)
	}
}

// shot takes a picture of the page.
func (v *visitor) shot(name string) {
	v.Helper()
	var png []byte
	v.do(chromedp.Sleep(150*time.Millisecond), chromedp.FullScreenshot(&png, 100))
	if len(png) < 5000 {
		v.Errorf("%s: a screenshot of %d bytes", name, len(png))
	}
	if *shots == "" {
		return
	}
	file := filepath.Join(*shots, strings.ReplaceAll(v.Name(), "/", "-")+"-"+name+".png")
	if err := os.WriteFile(file, png, 0o644); err != nil {
		v.Fatal(err)
	}
}

// choose takes a problem of the gallery.
func (v *visitor) choose(name string) {
	v.Helper()
	v.do(chromedp.SetValue("#gallery", name, chromedp.ByQuery))
	script[bool](v, `document.querySelector("#gallery").dispatchEvent(new Event("change"))`)
	v.until(fmt.Sprintf(`document.querySelector("#spec").value.includes("package: %s\n") && document.querySelector("#verdict").textContent === "no errors"`, name))
}

// enabled waits for a button, presses it, and waits for what comes of it.
func (v *visitor) press(selector string) {
	v.Helper()
	v.until(fmt.Sprintf(`!document.querySelector(%q).disabled`, selector))
	v.do(chromedp.Click(selector, chromedp.ByQuery))
}

func (v *visitor) fit() {
	v.Helper()
	v.press("#fit")
	v.until(`document.querySelector("#outcome .verdict, #outcome .fault") !== null && document.querySelector("#cancel").hidden`)
}

// estimate reads a number of the table of parameters.
func (v *visitor) estimate(name string) float64 {
	v.Helper()
	text := script[string](v, fmt.Sprintf(`[...document.querySelectorAll("#outcome table tr")].find(r => r.cells[0].textContent === %q)?.cells[1].textContent ?? ""`, name))
	x, err := strconv.ParseFloat(strings.ReplaceAll(text, "−", "-"), 64)
	if err != nil {
		v.Fatalf("estimate of %s: %v", name, err)
	}
	return x
}

func TestServer(t *testing.T) {
	chromium(t)
	use(visit(t, serve(t)))
}

func TestFiles(t *testing.T) {
	chromium(t)
	use(visit(t, files(t)))
}

// TestSite searches the documents.
func TestSite(t *testing.T) {
	chromium(t)
	dir := t.TempDir()
	goCommand(t, "run", "-C", "internal/site", ".", dir)
	s := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(s.Close)
	v := visit(t, s.URL+"/")
	v.do(chromedp.SendKeys("#search", "weight floor", chromedp.ByQuery))
	v.until(`document.querySelectorAll("#found a").length > 1`)
	v.shot("search")
	if _, err := chromedp.RunResponse(v.ctx, chromedp.Click("#found a", chromedp.ByQuery)); err != nil {
		t.Fatal(err)
	}
	v.until(`document.querySelector("main").textContent.includes("floor") && location.pathname !== "/"`)
	v.contrast()
	v.report()
}

// use is what a visitor does, step by step.
func use(v *visitor) {
	v.do(chromedp.WaitReady("body[data-ready]"))
	v.until(`document.querySelector("#verdict").textContent === "no errors"`)
	v.mistake()
	v.fit()
	if got := v.estimate("r"); math.Abs(got-sheepR) > 1e-3 {
		v.Errorf("r = %v, not %v", got, sheepR)
	}
	v.shot("fit")
	v.pictures()
	v.derivation()
	v.code()
	v.link()
	v.names()
	v.cancel()
	v.mixture()
	v.several()
	v.batches()
	v.regression()
	v.vectors()
	v.posterior()
	v.choose("skewnormal")
	v.looks()
	v.report()
}

// report says what went wrong in the page.
func (v *visitor) report() {
	v.lock.Lock()
	defer v.lock.Unlock()
	for _, f := range v.faults {
		v.Error(f)
	}
}

// mistake types an error, finds what is said of it under the cursor and below the text, and has it written as it is meant.
func (v *visitor) mistake() {
	v.do(chromedp.Focus("#spec", chromedp.ByQuery))
	script[bool](v, `(() => { const s = document.querySelector("#spec"), at = s.value.indexOf("alpha/(1"); s.setSelectionRange(at, at + 5); return at > 0; })()`)
	v.do(chromedp.KeyEvent("alhpa"))
	v.until(`document.querySelector("#findings li.error") !== null && !document.querySelector(".popup").hidden`)
	if got := v.text("#findings li.error"); !strings.Contains(got, "7:6") || !strings.Contains(got, "alhpa") || !strings.Contains(got, `did you mean "alpha"`) {
		v.Errorf("below the text: %q", got)
	}
	if got := v.text(".popup"); !strings.Contains(got, "alhpa") {
		v.Errorf("under the cursor: %q", got)
	}
	if !script[bool](v, `document.querySelector("#fit").disabled && [...document.querySelectorAll("pre .error")].some(e => e.textContent === "alhpa")`) {
		v.Error("a faulty spec is fitted, or its error is not marked")
	}
	v.shot("error")
	v.do(chromedp.Click("#findings .fix", chromedp.ByQuery))
	v.until(`document.querySelector("#verdict").textContent === "no errors"`)
	v.do(chromedp.KeyEvent(kb.Escape))
}

// pictures are there, with what they are of, and the density moves.
func (v *visitor) pictures() {
	names := script[[]string](v, `[...document.querySelectorAll("#outcome figure")].map(f => f.dataset.panel)`)
	if got := strings.Join(names, " "); got != "density rootogram course" && !strings.HasPrefix(got, "density rootogram ") {
		v.Errorf("pictures: %s", got)
	}
	if n := script[int](v, `document.querySelectorAll("[data-panel=density] [data-kind=bars] rect").length`); n < 20 {
		v.Errorf("%d bars", n)
	}
	path := `document.querySelector("[data-panel=density] [data-kind=line] path").getAttribute("d")`
	last := script[string](v, path)
	script[bool](v, `(() => { const s = document.querySelector(".player input"); s.value = 0; s.dispatchEvent(new Event("input")); return true; })()`)
	if first := script[string](v, path); first == last || len(first) < 50 {
		v.Errorf("the density at the start is %q", first)
	}
	if got := v.text(".player span"); !strings.HasPrefix(got, "iteration 0, loss 2.9") {
		v.Errorf("the start is called %q", got)
	}
}

// derivation is typeset, and rules are opened.
func (v *visitor) derivation() {
	v.press("#tab-derivation")
	v.until(`document.querySelectorAll("#panel-derivation math").length > 20`)
	v.do(chromedp.Click("#panel-derivation .rule summary", chromedp.ByQuery))
	if !script[bool](v, `document.querySelector("#panel-derivation .rule[open] .step math").getBoundingClientRect().height > 10`) {
		v.Error("the step of an open rule is not seen")
	}
	if got := v.text("#panel-derivation"); !strings.Contains(got, "Flops") {
		v.Error("no budget")
	}
	v.shot("derivation")
}

func (v *visitor) code() {
	v.press("#tab-code")
	v.until(`document.querySelector("#panel-code pre")?.textContent.includes("package negbin")`)
	v.press("#tab-program")
	v.until(`document.querySelector("#panel-program pre")?.textContent.includes("NaturalGradient, a part of Gradients:")`)
	v.shot("program")
	v.press("#tab-fit")
}

// link opens the address of the state in another tab, where everything is again.
func (v *visitor) link() {
	v.press("#share")
	v.until(`location.hash.startsWith("#1.") && document.querySelector("#toast").textContent !== ""`)
	address := script[string](v, "location.href")
	ctx, shut := chromedp.NewContext(v.ctx)
	defer shut()
	var spec, data string
	err := chromedp.Run(ctx, chromedp.Navigate(address), chromedp.WaitReady("body[data-ready]"), chromedp.Value("#spec", &spec, chromedp.ByQuery),
		chromedp.Value("#data", &data, chromedp.ByQuery))
	if err != nil || spec != script[string](v, `document.querySelector("#spec").value`) || !strings.HasPrefix(data, "ticks\n") {
		v.Errorf("%v: in another tab the spec is %.60q and the data %.20q", err, spec, data)
	}
}

// cancel ends a fit that would take long.
func (v *visitor) cancel() {
	v.choose("studentt")
	v.press("#draw")
	v.until(`document.querySelector("#data-name").textContent.startsWith("studentt-draws.csv")`)
	v.do(chromedp.SetValue("#starts", "1000", chromedp.ByQuery), chromedp.SetValue("#method", "gd", chromedp.ByQuery), chromedp.SetValue("#draw-rows", "100000", chromedp.ByQuery))
	v.press("#draw")
	v.until(`document.querySelector("#data-name").textContent.includes("100000 rows")`)
	v.press("#fit")
	v.until(`document.querySelector("#progress").textContent.includes("iteration")`)
	v.shot("running")
	v.press("#cancel")
	v.until(`document.querySelector("#progress").textContent === "cancelled" && document.querySelector("#cancel").hidden`)
	v.do(chromedp.SetValue("#starts", "0", chromedp.ByQuery), chromedp.SetValue("#method", "auto", chromedp.ByQuery), chromedp.SetValue("#draw-rows", "500", chromedp.ByQuery))
}

// mixture fits what it has drawn.
func (v *visitor) mixture() {
	v.choose("normalmix")
	v.press("#draw")
	v.until(`document.querySelector("#data-name").textContent.startsWith("normalmix-draws.csv")`)
	v.fit()
	if got := v.text("#outcome .verdict"); !strings.Contains(got, "converged") {
		v.Errorf("a mixture: %s", got)
	}
	if n := script[int](v, `document.querySelectorAll("[data-panel=density] [data-kind=line]").length`); n != 3 {
		v.Errorf("%d curves of a mixture of two", n)
	}
	v.shot("mixture")
}

// several numbers of components are compared, and one of them is fitted from the table.
func (v *visitor) several() {
	v.do(chromedp.SetValue("#components", "1..3", chromedp.ByQuery))
	v.fit()
	if got := v.text("#outcome .verdict"); !strings.Contains(got, "best number of components by BIC is 2") {
		v.Errorf("several numbers of components: %s", got)
	}
	if n := script[int](v, `document.querySelectorAll("[data-panel=criteria] [data-kind=line]").length`); n < 2 {
		v.Errorf("%d curves of criteria", n)
	}
	if got := v.text("#outcome pre.code"); !strings.Contains(got, "--components 1..3") {
		v.Errorf("the command is %s", got)
	}
	v.shot("several")
	v.press("#outcome tbody tr:nth-child(2) button")
	v.until(`document.querySelector("#components").value === "2" && document.querySelector("#outcome .verdict")?.textContent.includes("converged")`)
}

// batches are some rows for each step.
func (v *visitor) batches() {
	v.choose("negbin")
	v.data("../../docs/data/sheep.csv")
	v.set("#method", "sngd")
	v.do(chromedp.SetValue("#batch", "20", chromedp.ByQuery), chromedp.SetValue("#epochs", "200", chromedp.ByQuery), chromedp.SetValue("#starts", "1", chromedp.ByQuery))
	v.fit()
	if got := v.estimate("r"); math.Abs(got-sheepR) > 0.1 {
		v.Errorf("by minibatches r = %v, not about %v", got, sheepR)
	}
	if got := v.text("#outcome pre.code"); !strings.Contains(got, "--method sngd --batch 20 --epochs 200") {
		v.Errorf("the command is %s", got)
	}
	v.shot("batches")
	v.set("#method", "auto")
	v.do(chromedp.SetValue("#starts", "0", chromedp.ByQuery))
}

// regression types a formula about a file in which there are words. The coefficient is that of glm.nb of R.
func (v *visitor) regression() {
	v.data("../../docs/data/quine.csv")
	v.set("#distribution", "negative_binomial_mean")
	v.do(chromedp.SetValue("#formula", "Days ~ Eth + Sex + Age + Lrn", chromedp.ByQuery))
	v.press("#write")
	v.until(`document.querySelector("#spec").value.includes("negative_binomial_mean_regression") && document.querySelector("#verdict").textContent === "no errors"`)
	v.fit()
	if got := v.estimate("mu[Eth=N]"); math.Abs(got+0.56937) > 1e-3 {
		v.Errorf("a coefficient of a regression is %v", got)
	}
	if got := v.text("#outcome .notes"); !strings.Contains(got, "Age has 4 levels; F0 is the reference") {
		v.Errorf("notes: %q", got)
	}
	if got := v.text("#outcome pre.code"); !strings.Contains(got, "sngdgen fit negative_binomial_mean quine.csv --formula 'Days ~ Eth + Sex + Age + Lrn'") {
		v.Errorf("the command is %s", got)
	}
	v.shot("regression")
	terms := `document.querySelector("#columns input.terms")`
	script[bool](v, terms+`.value = "1 + Eth:Age", `+terms+`.dispatchEvent(new Event("change"))`)
	v.fit()
	if got := v.text("#outcome .fault"); !strings.Contains(got, "7 entries") {
		v.Errorf("other terms than the spec has coefficients for: %s", got)
	}
	v.do(chromedp.SetValue("#formula", "Days ~ Eth + ", chromedp.ByQuery))
	v.press("#write")
	v.until(`document.querySelector("#data-fault").textContent.includes("a term is missing")`)
}

// data types the text of a file.
func (v *visitor) data(file string) {
	v.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		v.Fatal(err)
	}
	script[bool](v, fmt.Sprintf(`(() => {
		const files = new DataTransfer();
		files.items.add(new File([%q], %q));
		return dispatchEvent(new DragEvent("drop", { dataTransfer: files, cancelable: true }));
	})() || true`, text, filepath.Base(file)))
	v.until(fmt.Sprintf(`document.querySelector("#data-name").textContent.startsWith(%q)`, filepath.Base(file)+":"))
}

// set chooses a value, as people do.
func (v *visitor) set(selector, value string) {
	v.Helper()
	v.do(chromedp.SetValue(selector, value, chromedp.ByQuery))
	script[bool](v, fmt.Sprintf(`document.querySelector(%q).dispatchEvent(new Event("change"))`, selector))
}

// vectors are drawn in pairs.
func (v *visitor) vectors() {
	v.choose("skewnormal")
	v.press("#draw")
	v.until(`document.querySelector("#data-name").textContent.startsWith("skewnormal-draws.csv")`)
	v.fit()
	if n := script[int](v, `document.querySelectorAll("#outcome .grid svg").length`); n < 3 {
		v.Errorf("%d pictures of pairs", n)
	}
	v.shot("vectors")
}

// posterior types data, and fits a posterior.
func (v *visitor) posterior() {
	v.choose("eightschools")
	script[bool](v, `(() => {
		const d = document.querySelector("#data");
		d.value = "y,sigma\n28,15\n8,10\n-3,16\n7,11\n-1,9\n1,11\n18,10\n12,18\n";
		return d.dispatchEvent(new Event("input"));
	})()`)
	v.until(`document.querySelector("#data-name").textContent.startsWith("typed.csv: 8 rows")`)
	v.fit()
	if got := v.text("#outcome .verdict"); !strings.Contains(got, "converged") {
		v.Errorf("a posterior: %s", got)
	}
	if n := script[int](v, `document.querySelectorAll("[data-panel=margins] svg").length`); n < 10 {
		v.Errorf("%d margins", n)
	}
	v.shot("posterior")
}

// names asks the accessibility tree: whatever can be used has a name.
func (v *visitor) names() {
	usable := map[string]bool{"button": true, "textbox": true, "combobox": true, "spinbutton": true, "slider": true, "checkbox": true, "tab": true, "img": true, "link": true}
	v.do(chromedp.ActionFunc(func(ctx context.Context) error {
		type value struct {
			Value any `json:"value"`
		}
		var tree struct { // of the protocol these fields alone, as browsers add values to others
			Nodes []struct {
				Ignored bool  `json:"ignored"`
				Role    value `json:"role"`
				Name    value `json:"name"`
			} `json:"nodes"`
		}
		err := cdp.Execute(ctx, "Accessibility.getFullAXTree", nil, &tree)
		found := 0
		for _, n := range tree.Nodes {
			role, _ := n.Role.Value.(string)
			if n.Ignored || !usable[role] {
				continue
			}
			if name, _ := n.Name.Value.(string); name == "" {
				v.Errorf("a %s has no name", role)
			}
			found++
		}
		if found < 15 {
			v.Errorf("%d things that can be used", found)
		}
		return err
	}))
}

// looks takes pictures in the dark and on a phone, where nothing is wider than the screen.
func (v *visitor) looks() {
	v.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	v.shot("dark")
	v.contrast()
	v.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	v.shot("phone-dark")
	v.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"}}))
	v.shot("phone")
	v.contrast()
	for _, tab := range []string{"fit", "derivation", "code", "program"} {
		v.press("#tab-" + tab)
		v.until(fmt.Sprintf(`document.querySelector("#panel-%s").childElementCount > 1`, tab))
		if wide := script[int](v, "document.documentElement.scrollWidth"); wide > 390 {
			v.Errorf("%s is %d pixels wide on a phone of 390", tab, wide)
		}
		v.shot("phone-" + tab)
	}
}

// contrast computes that of all texts by the formula of the Web Content Accessibility Guidelines 2.1: 4.5 at least.
func (v *visitor) contrast() {
	const measure = `(() => {
		const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
		const parse = c => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
		const lum = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [.2126, .7152, .0722][i], 0);
		const bad = new Set();
		for (const e of document.querySelectorAll("body *")) {
			if (e.closest("svg, textarea, [hidden], noscript, :disabled") || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !e.getClientRects().length) continue;
			let back = [0, 0, 0, 0];
			for (let p = e; p && back[3] < 255; p = p.parentElement) back = parse(getComputedStyle(p).backgroundColor);
			const a = lum(parse(getComputedStyle(e).color)), b = lum(back), ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
			if (ratio < 4.5) bad.add(e.tagName + "." + e.className + " " + ratio.toFixed(2));
		}
		return [...bad];
	})()`
	for _, bad := range script[[]string](v, measure) {
		v.Errorf("too little contrast: %s", bad)
	}
}
