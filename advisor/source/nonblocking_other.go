//go:build !unix

package source

// nonBlocking has no meaning where there are no named pipes in folders.
const nonBlocking = 0
