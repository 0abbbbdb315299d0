package emit

import "github.com/dave/jennifer/jen"

func (f *file) tests() []jen.Code { return nil }
