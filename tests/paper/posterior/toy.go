package main

import "context"

func toy(context.Context, func(string)) (string, error) { return "", nil }
