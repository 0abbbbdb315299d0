package estimate

import (
	"context"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// Components move from one of the best ends that are known: of the highest one first, and where that led nowhere of the next
// ones in turn, since two moves together may lead to where neither does by itself. A component goes to a spot that the others
// explain badly, which may be a component of any other end; or two random ones are taken, or the two that overlap most.

const (
	// In each round so many components move, as far as work allows, and so many of the runs from there go on to their ends. Ends
	// that are not the best count: components move from there too.
	leastMoves, mostMoves         = 4, 50
	leastMoveLongs, mostMoveLongs = 2, 5
	// Of all moves up to so many go to spots, and the rest are random.
	spottedShare = 0.6
	// Rounds begin at one of so many best ends: the one for which the number of rounds that began there, and its place in the
	// order times bestFirst, are the least.
	mostBases = 6
	bestFirst = 0.4
	// Components move until so many rounds in a row, more where these take little work, or so many from every end, lead to no
	// better one, and in so many rounds altogether.
	leastFruitless, mostFruitless = 5, 10
	mostVisits, moveRounds        = 2, 60
)

// moveOn moves components of the best ends until that leads nowhere.
func (s *search) moveOn(ctx context.Context) {
	most := s.times(mostMoves*shortSteps, leastFruitless, mostFruitless)
	for round, fruitless := 0, 0; round < moveRounds && fruitless < most && ctx.Err() == nil; round++ {
		if fruitless++; s.move(ctx, round) {
			fruitless = 0
		}
	}
}

// move tries to move components of one of the best ends, and reports whether that has led to a better one than all.
func (s *search) move(ctx context.Context, round int) bool {
	best, from := s.best(), s.base()
	if from == nil {
		return false
	}
	p := newPosterior(s.clone(), s.r, from.res.Z, from.theta)
	if p == nil {
		return false
	}
	starts := s.moves(p, s.times(shortSteps, leastMoves, mostMoves), round)
	loss := best.res.Loss
	promising := slices.DeleteFunc(s.short(ctx, starts), func(a *attempt) bool {
		return a.thin || a.res.Loss > loss+shortTolerance*(1+math.Abs(loss))*shortSteps || s.known(a)
	})
	return len(promising) > 0 &&
		s.long(ctx, promising, s.times(longSteps, leastMoveLongs, mostMoveLongs)) < loss-sameLoss*(1+math.Abs(loss))
}

// base returns the end from which components move next, nil if that has been done often enough from all of them.
func (s *search) base() *attempt {
	ends := s.distinct(slices.DeleteFunc(ranked(s.found), func(a *attempt) bool { return !a.ended() }))
	var from *attempt
	least := math.Inf(1)
	for place, a := range ends[:min(len(ends), mostBases)] {
		visits := s.visits[a.start]
		if a.thin && place > 0 || visits >= mostVisits {
			continue
		}
		if cost := float64(visits) + bestFirst*float64(place); cost < least {
			from, least = a, cost
		}
	}
	if from != nil {
		s.visits[from.start]++
	}
	return from
}

// known reports whether a run is about to end where another has ended.
func (s *search) known(a *attempt) bool {
	return slices.ContainsFunc(s.found, func(b attempt) bool { return b.ended() && s.same(&b, a) })
}

// moves are starts in which a component of a posterior has moved, to spots and to random places.
func (s *search) moves(p *posterior, count, round int) (starts []start) {
	take := func(share float64, from func(yield func([]int) bool)) {
		most := int(math.Ceil(share * float64(count)))
		from(func(groups []int) bool {
			if s.untried(groups) {
				starts = append(starts, s.fromGroups(groups, len(starts)))
			}
			return len(starts) < most
		})
	}
	take(spottedShare, func(yield func([]int) bool) { s.white.spotted(p, s.r.Seed, yield) })
	rng := runtime.Stream(s.r.Seed, "moves", uint64(round))
	take(1, func(yield func([]int) bool) { s.white.swapped(p, rng, yield) })
	return starts
}
