// Package report writes the outcome of a simulation as one HTML page.
//
// The page is a single file that needs no network: styles, script and figures
// are inside. Everything on it is there without the script, which only adds a
// read-out under the pointer, switches in the legends and sorting. It follows
// the reader's light or dark theme, prints in light, and its figures stretch
// from a phone to a wide screen without scaling their text.
//
// The input is plain data, so that the package knows no simulator and no
// policy. Job ids, policy names and all other text count as hostile: see
// cleaned in text.go for what is done to them, and write.go for the content
// policy that keeps a browser from running or loading anything else.
package report
