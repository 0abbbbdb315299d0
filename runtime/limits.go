package runtime

import "fmt"

// Validator is implemented by everything that holds settings: Settings, Stochastic, methods, step rules, schedules and the
// optimizers of this package. [Minimize] and [Descend] call it before they begin; an Optimizer or a Schedule of the caller
// that implements it is asked as well.
type Validator interface {
	// Validate returns a *SettingError for the first setting that cannot work, and nil when there is none.
	Validate() error
}

// SettingError is a setting that cannot work, on any problem.
type SettingError struct {
	Setting string // type and field, such as Adam.Rate
	Value   any
	Want    string // what is allowed
}

// Error returns one line with the setting, its value and what is allowed.
func (e *SettingError) Error() string {
	return fmt.Sprintf("runtime: %s is %v: it must be %s", e.Setting, e.Value, e.Want)
}

// Ranges in words. Nearly all settings may be 0, which stands for the default that the field's comment gives.
const (
	wantNotNegative = "a finite number, 0 or more"
	wantCount       = "0 or more"
)

// firstOf returns the first error that is not nil.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// notNegative asks for a finite number, 0 or more.
func notNegative(typ, field string, x float64) error {
	if x >= 0 && finite(x) {
		return nil
	}
	return &SettingError{typ + "." + field, x, wantNotNegative}
}

// isFinite asks for a finite number of either sign.
func isFinite(typ, field string, x float64) error {
	if finite(x) {
		return nil
	}
	return &SettingError{typ + "." + field, x, "a finite number"}
}

// below asks for a number from 0 up to a limit, which is excluded.
func below(typ, field string, x, limit float64) error {
	if x >= 0 && x < limit {
		return nil
	}
	return &SettingError{typ + "." + field, x, fmt.Sprintf("0 or more and below %v", limit)}
}

// between asks for a number between two others, which are excluded.
func between(typ, field string, x, low, high float64) error {
	if x > low && x < high {
		return nil
	}
	return &SettingError{typ + "." + field, x, fmt.Sprintf("above %v and below %v", low, high)}
}

// count asks for a whole number, 0 or more.
func count[N ~int | ~int64](typ, field string, n N) error {
	if n >= 0 {
		return nil
	}
	return &SettingError{typ + "." + field, n, wantCount}
}

// positive asks for a whole number, 1 or more.
func positive(typ, field string, n int) error {
	if n >= 1 {
		return nil
	}
	return &SettingError{typ + "." + field, n, "1 or more"}
}

// countUpTo asks for a whole number between 0 and a limit.
func countUpTo(typ, field string, n, limit int) error {
	if n >= 0 && n <= limit {
		return nil
	}
	return &SettingError{typ + "." + field, n, fmt.Sprintf("between 0 and %d", limit)}
}

// validate asks a value that may be a Validator.
func validate(x any) error {
	if v, ok := x.(Validator); ok {
		return v.Validate()
	}
	return nil
}

// fraction asks for a number between 0 and 1.
func fraction(typ, field string, x float64) error {
	if x >= 0 && x <= 1 {
		return nil
	}
	return &SettingError{typ + "." + field, x, "between 0 and 1"}
}
