// Command wasm is the studio in a browser: it answers a worker of the page, and needs no server.
package main

import (
	"context"
	"syscall/js"

	"github.com/sngdgen/sngdgen/internal/studio"
)

func main() {
	js.Global().Set("studioAnswer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		id, method, body := args[0], args[1].String(), []byte(args[2].String())
		go studio.Answer(context.Background(), method, body, func(message []byte) {
			js.Global().Call("postMessage", map[string]any{"id": id, "message": string(message)})
		})
		return nil
	}))
	js.Global().Call("postMessage", map[string]any{"ready": true})
	select {}
}
