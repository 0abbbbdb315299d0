package table

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// exactInts is below which all integers are numbers of 53 bits.
const exactInts = 1 << 53

// exactPowers are the powers of ten that are numbers of 53 bits.
var exactPowers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// intPowers are the powers of ten that are integers of 64 bits.
var intPowers = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// mostDigits is how many digits an integer of 64 bits has room for, whatever they are.
const mostDigits = len(intPowers) - 1

// parseDecimal returns a decimal number as strconv.ParseFloat does, to the last bit, in less time. What is written in another way,
// has many digits or is far from 1 is left to that: ok is false. With decimalComma a comma is a point too.
func parseDecimal(text []byte, decimalComma bool) (x float64, ok bool) {
	if len(text) == 0 {
		return 0, false
	}
	sign := 0
	if text[0] == '-' {
		sign = 1
	}
	begin := sign
	if text[0] == '+' {
		begin = 1
	}
	digits, decimals, rest, ok := readDigits(text[begin:], decimalComma)
	if ok && len(rest) > 0 {
		var exponent int
		exponent, ok = readExponent(rest)
		decimals -= exponent
	}
	switch {
	case !ok:
		return 0, false
	case digits > 0 && 0 < decimals && decimals < len(intPowers):
		x = quotient(digits, decimals)
	case digits < exactInts && 0 <= decimals && decimals < len(exactPowers): // both are exact, so that one operation rounds once
		x = float64(int64(digits)) / exactPowers[decimals]
	case digits < exactInts && 0 < -decimals && -decimals < len(exactPowers):
		x = float64(int64(digits)) * exactPowers[-decimals]
	default:
		return 0, false
	}
	return math.Float64frombits(math.Float64bits(x) | uint64(sign)<<63), true
}

// readDigits reads the digits of a number as an integer, and how many of them are behind the point.
func readDigits(text []byte, decimalComma bool) (digits uint64, decimals int, rest []byte, ok bool) {
	digits, at := appendDigits(0, text, 0)
	n := at
	if at < len(text) && (text[at] == '.' || decimalComma && text[at] == ',') {
		point := at
		if digits, at = appendEights(digits, text, at+1); at < len(text) {
			digits, at = appendDigits(digits, text, at)
		}
		decimals = at - point - 1
		n += decimals
	}
	return digits, decimals, text[at:], 0 < n && n <= mostDigits
}

// appendDigits appends the digits from a place of a text on to a number, and returns where they end.
func appendDigits(number uint64, text []byte, at int) (uint64, int) {
	for at < len(text) && text[at]-'0' <= 9 {
		number, at = 10*number+uint64(text[at]-'0'), at+1
	}
	return number, at
}

// appendEights does so with eight digits at a time, and the last ones where the text ends in them.
func appendEights(number uint64, text []byte, at int) (uint64, int) {
	if len(text) < 8 || at == len(text) {
		return number, at
	}
	for len(text)-at > 8 {
		eight, ok := eightDigits(binary.LittleEndian.Uint64(text[at:]))
		if !ok {
			return number, at
		}
		number, at = 1e8*number+eight, at+8
	}
	n := len(text) - at
	before := 8 * (8 - n) & 63 // bits of the last eight bytes that are not to be read
	last := binary.LittleEndian.Uint64(text[len(text)-8:])>>before<<before | zeros&(1<<before-1)
	eight, ok := eightDigits(last)
	if !ok {
		return number, at
	}
	return number*intPowers[n] + eight, len(text)
}

// zeros are eight digits.
const zeros = 0x3030303030303030

// eightDigits returns the number that is written in eight bytes, the first digit in the lowest one, if all are digits: pairs of digits become
// numbers below 100, those numbers below 10,000, and so on, all pairs at once.
func eightDigits(b uint64) (number uint64, ok bool) {
	const high, six = 0xf0f0f0f0f0f0f0f0, 0x0606060606060606
	ok = b&high == zeros && (b+six)&high == zeros // from '0' on, and up to '9'
	b -= zeros
	b = (b*10 + b>>8) & 0x00ff00ff00ff00ff
	b = (b*100 + b>>16) & 0x0000ffff0000ffff
	return (b*10000 + b>>32) & 0xffffffff, ok
}

// readExponent reads an exponent of at most two digits, as of 1e-05.
func readExponent(text []byte) (exponent int, ok bool) {
	if len(text) < 2 || text[0]|' ' != 'e' {
		return 0, false
	}
	sign := text[1]
	if text = text[1:]; sign == '-' || sign == '+' {
		text = text[1:]
	}
	if len(text) == 0 || len(text) > 2 {
		return 0, false
	}
	for _, c := range text {
		if c-'0' > 9 {
			return 0, false
		}
		exponent = 10*exponent + int(c-'0')
	}
	if sign == '-' {
		exponent = -exponent
	}
	return exponent, true
}

// inverses are 2^127 over the powers of ten, these shifted up to 64 bits, less what is behind the point. That of one is too
// large, and not asked for.
var inverses = func() (out [len(intPowers)]uint64) {
	for k, power := range intPowers[1:] {
		out[k+1], _ = bits.Div64(1<<63, 0, power<<bits.LeadingZeros64(power))
	}
	return out
}()

// quotient returns a over a power of ten, rounded once. Neither is 0, the power nor a.
func quotient(a uint64, power int) float64 {
	b := intPowers[power]
	up, down := bits.LeadingZeros64(a), bits.LeadingZeros64(b)
	a, b = a<<up, b<<down
	q, _ := bits.Mul64(a, inverses[power]) // 2^63 a/b is at least q and less than q+2
	x := float64(int64(q / 2))
	if x != float64(int64(q/2+2)) { // else what is between them is rounded to the same
		x = float64(int64(divide(a, b)))
	}
	return x * math.Float64frombits(uint64(1023+down-up-62)<<52)
}

// divide returns 2^62 a/b of integers of 64 bits, where the last bit says too whether something is behind it: so there is no tie but a true one.
func divide(a, b uint64) uint64 {
	q, rest := bits.Div64(a>>1, a<<63, b)
	q = q>>1 | q&1
	if rest != 0 {
		q |= 1
	}
	return q
}
