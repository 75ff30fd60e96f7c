// Command schedmate is the product's one binary: it wires the command line to
// the process and runs it.
package main

import (
	"os"

	"schedmate/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.LookupEnv}))
}
