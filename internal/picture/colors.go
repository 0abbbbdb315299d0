package picture

import "image/color"

// Colors are those of Okabe and Ito (Color universal design, 2008), which people of every kind of colour vision tell apart, with
// gray in place of yellow, which is hard to see on white. The first two are for data and for what was fitted.
var Colors = []color.NRGBA{
	{0x77, 0x77, 0x77, 0xff}, // gray: data
	{0x00, 0x72, 0xb2, 0xff}, // blue: what was fitted
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0x00, 0x00, 0x00, 0xff}, // black
}

// Names for the colours of what there is always.
const (
	Data   = 0
	Fitted = 1
	Other  = 2
)

// Colored is how many components have colours of their own.
const Colored = 6

// Component returns the colour of one of several components, or of several of anything.
func Component(i int) int { return Other + i%Colored }

// faint is a colour for what stands behind.
func faint(c color.NRGBA) color.NRGBA {
	c.A = 0x60
	return c
}
