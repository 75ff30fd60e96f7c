package pyeval

import "schedmate/advisor/conf"

// confState is what the libraries of configuration keep during a run.
type confState struct {
	kept      []Value // values that stand in configuration trees and that no file can hold
	resolvers map[string]Value
	resolving int
	store     map[string]Value // Hydra's ConfigStore, by path without extension
	hydra     Value            // what HydraConfig.get() gives
	hydraFrom conf.ComposeRequest
	gin       *ginState
	lazyFiles string          // folder of the lazy configuration that is being followed, with a slash
	reading   map[string]bool // configuration files that are being followed
}
