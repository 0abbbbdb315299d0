package runtime_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sngdgen/sngdgen/runtime"
)

// validators has a value that works of every type of settings.
var validators = []runtime.Validator{
	&runtime.Settings{}, &runtime.Stochastic{},
	runtime.SNGD{}, runtime.NaturalLBFGS{},
	runtime.GridSearch{}, runtime.Backtracking{}, runtime.ExactLineSearch{}, runtime.Wolfe{},
	runtime.Constant{}, runtime.Decay{}, runtime.Cosine{Iterations: 1}, runtime.ScheduleFunc(func(int) float64 { return 1 }),
	runtime.SGD{}, runtime.Adam{}, runtime.AMSGrad{}, runtime.Adagrad{}, runtime.RMSProp{},
}

// settingsMethods are the methods by which a type is recognised as one that holds settings.
var settingsMethods = map[string]bool{"Validate": true, "next": true, "memory": true, "Update": true, "At": true}

// negative are the settings that may be negative.
var negative = map[string]bool{"Settings.GradientTolerance": true, "Settings.MaxIterations": true}

// Every type of settings of the package is in the list above.
func TestValidatorsAreAll(t *testing.T) {
	listed := map[string]bool{}
	for _, v := range validators {
		listed[reflect.Indirect(reflect.ValueOf(v)).Type().Name()] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || !settingsMethods[f.Name.Name] {
				continue
			}
			receiver := f.Recv.List[0].Type
			if star, ok := receiver.(*ast.StarExpr); ok {
				receiver = star.X
			}
			found++
			if name := receiver.(*ast.Ident).Name; ast.IsExported(name) && !listed[name] {
				t.Errorf("%s has the method %s but is not in validators", name, f.Name.Name)
			}
		}
	}
	if found < 2*len(validators) {
		t.Errorf("%d methods found", found)
	}
}

// A number that cannot work is an error that names type and field, whatever the setting: of every field of every type.
func TestEverySettingIsValidated(t *testing.T) {
	for _, v := range validators {
		if err := v.Validate(); err != nil {
			t.Errorf("%T: %v", v, err)
		}
		value := reflect.Indirect(reflect.ValueOf(v))
		if value.Kind() != reflect.Struct {
			continue
		}
		for i := range value.NumField() {
			name := value.Type().Name() + "." + value.Type().Field(i).Name
			for _, bad := range impossible(t, name, value.Field(i)) {
				changed := reflect.New(value.Type()).Elem()
				changed.Set(value)
				changed.Field(i).Set(bad)
				holder, ok := changed.Interface().(runtime.Validator)
				if !ok {
					holder = changed.Addr().Interface().(runtime.Validator)
				}
				refused(t, holder, name, bad)
			}
		}
	}
	refused(t, runtime.ScheduleFunc(nil), "ScheduleFunc", reflect.ValueOf("nil"))
}

// impossible are values that a field must not have.
func impossible(t *testing.T, name string, field reflect.Value) (bad []reflect.Value) {
	add := func(x any) { bad = append(bad, reflect.ValueOf(x).Convert(field.Type())) }
	switch field.Interface().(type) {
	case float64:
		add(math.NaN())
		add(math.Inf(1))
		add(math.Inf(-1))
		if !negative[name] {
			add(-0.1)
		}
	case int, time.Duration, runtime.Sampling, runtime.Drawing:
		if !negative[name] {
			add(-1)
		}
	case uint64, bool:
	case runtime.Optimizer, runtime.Recorder, func([]float64) float64: // the first is in TestNestedSettings
	default:
		if field.Kind() != reflect.Interface {
			t.Errorf("%s: the test knows nothing of the type %v", name, field.Type())
		}
	}
	return bad
}

// refused checks that settings are refused, by themselves and by the runs that use them.
func refused(t *testing.T, v runtime.Validator, name string, bad reflect.Value) {
	t.Helper()
	var e *runtime.SettingError
	if err := v.Validate(); !errors.As(err, &e) || e.Setting != name || e.Want == "" {
		t.Errorf("%s = %v: %v", name, bad, err)
		return
	}
	p := newGauss(10, 2, 1)
	check := func(res *runtime.Result, err error) {
		t.Helper()
		if !errors.As(err, &e) || e.Setting != name || res != nil {
			t.Errorf("%s = %v: a run gives %+v, %v", name, bad, res, err)
		}
	}
	minimized := func(s *runtime.Settings) { t.Helper(); check(runtime.Minimize(ctx, p, p.start(), s)) }
	descended := func(s *runtime.Stochastic) { t.Helper(); check(runtime.Descend(ctx, p, p.start(), s)) }
	if s, ok := v.(*runtime.Settings); ok {
		minimized(s)
	}
	if s, ok := v.(*runtime.Stochastic); ok {
		descended(s)
		_, err := new(runtime.Descender).Resume(ctx, p, s)
		check(nil, err)
	}
	if m, ok := v.(runtime.Method); ok {
		minimized(&runtime.Settings{Method: m})
	}
	if r, ok := v.(runtime.StepRule); ok {
		minimized(&runtime.Settings{Step: r})
	}
	if s, ok := v.(runtime.Schedule); ok {
		descended(&runtime.Stochastic{Step: s})
		descended(&runtime.Stochastic{AuxiliaryScale: s})
	}
	if o, ok := v.(runtime.Optimizer); ok {
		descended(&runtime.Stochastic{Auxiliary: o})
	}
}

// What a setting may be depends on others in some places, and has an upper end in some.
func TestSettingLimits(t *testing.T) {
	for _, c := range []struct {
		v    runtime.Validator
		want string // "" when it works
	}{
		{runtime.Adam{Rate: -0.1}, "runtime: Adam.Rate is -0.1: it must be a finite number, 0 or more"},
		{runtime.AMSGrad{SquareDecay: 1}, "runtime: AMSGrad.SquareDecay is 1: it must be 0 or more and below 1"},
		{runtime.SGD{Momentum: 1}, "runtime: SGD.Momentum is 1: it must be 0 or more and below 1"},
		{runtime.RMSProp{Decay: 1.5}, "runtime: RMSProp.Decay is 1.5: it must be 0 or more and below 1"},
		{runtime.Wolfe{Decrease: 2}, "runtime: Wolfe.Decrease is 2: it must be 0 or more and below 0.5"},
		{runtime.Wolfe{Decrease: 0.2, Curvature: 0.1}, "runtime: Wolfe.Curvature is 0.1: it must be above 0.2 and below 1"},
		{runtime.Wolfe{Curvature: 1e-5}, "runtime: Wolfe.Curvature is 1e-05: it must be above 0.0001 and below 1"},
		{runtime.Wolfe{Decrease: 0.49, Curvature: 0.5}, ""},
		{runtime.Constant{Step: math.NaN()}, "runtime: Constant.Step is NaN: it must be a finite number, 0 or more"},
		{runtime.Cosine{}, "runtime: Cosine.Iterations is 0: it must be 1 or more"},
		{runtime.NaturalLBFGS{Memory: 1e12}, "runtime: NaturalLBFGS.Memory is 1000000000000: it must be between 0 and 10000"},
		{runtime.GridSearch{N: 1 << 40}, "runtime: GridSearch.N is 1099511627776: it must be between 0 and 1000000"},
		{&runtime.Settings{MaxIterations: -1, GradientTolerance: -1}, ""},
		{&runtime.Settings{WeightFloor: 1}, "runtime: Settings.WeightFloor is 1: it must be 0 or more and below 1"},
		{&runtime.Stochastic{MaxTime: -time.Second}, "runtime: Stochastic.MaxTime is -1s: it must be 0 or more"},
		{&runtime.Stochastic{Average: 1}, ""},
		{&runtime.Stochastic{Average: 1.01}, "runtime: Stochastic.Average is 1.01: it must be between 0 and 1"},
		{&runtime.Stochastic{Sampling: 2}, "runtime: Stochastic.Sampling is 2: it must be ByEpoch or WithReplacement"},
		{&runtime.Stochastic{CheckDraws: 1 << 40}, "runtime: Stochastic.CheckDraws is 1099511627776: it must be between 0 and 100000000"},
		{(*runtime.Settings)(nil), ""},
		{(*runtime.Stochastic)(nil), ""},
	} {
		got := ""
		if err := c.v.Validate(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v\ngot  %s\nwant %s", c.v, got, c.want)
		}
	}
}

// An Optimizer or a Schedule of the caller is asked too, when it can tell.
func TestNestedSettings(t *testing.T) {
	p := newGauss(10, 2, 1)
	for _, s := range []*runtime.Stochastic{{Auxiliary: picky{}}, {Step: picky{}}, {AuxiliaryScale: picky{}}} {
		if res, err := runtime.Descend(ctx, p, p.start(), s); res != nil || !errors.Is(err, errPicky) {
			t.Errorf("%+v, %v", res, err)
		}
	}
	s := &runtime.Stochastic{Auxiliary: forgetful{}}
	want := "runtime: Stochastic.Auxiliary is forgetful: it must be an Optimizer with a Memory of 0 or more"
	if res, err := runtime.Descend(ctx, p, p.start(), s); res != nil || err == nil || err.Error() != want {
		t.Errorf("%+v, %v", res, err)
	}
}

var errPicky = errors.New("never good enough")

type picky struct{ runtime.Adam }

func (picky) At(int) float64  { return 1 }
func (picky) Validate() error { return errPicky }

type forgetful struct{ runtime.Adam }

func (forgetful) Memory() int    { return -1 }
func (forgetful) String() string { return "forgetful" }
