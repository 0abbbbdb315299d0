package runtime

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
)

// Stream returns a random stream that depends on its arguments alone: the same seed, purpose ("start", "minibatch" and
// so on) and ids give the same numbers on every machine, and different ones give unrelated streams. The generator is
// ChaCha8; its key is the seed, the 128-bit FNV-1a hash of the purpose and ids, and the number of ids.
func Stream(seed uint64, purpose string, ids ...uint64) *rand.Rand {
	h := fnv.New128a()
	h.Write([]byte(purpose))
	var word [8]byte
	for _, id := range ids {
		binary.LittleEndian.PutUint64(word[:], id)
		h.Write(word[:])
	}
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:8], seed)
	h.Sum(key[8:8])
	binary.LittleEndian.PutUint64(key[24:], uint64(len(ids)))
	return rand.New(rand.NewChaCha8(key))
}
