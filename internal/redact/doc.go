// Package redact takes secrets out of text before it leaves the process: API
// keys and tokens of well-known shapes, values behind names such as
// HF_TOKEN= or "password":, passwords in URLs, private keys, request headers.
// Each is replaced by a mark that says what stood there:
//
//	HF_TOKEN=hf_abc...            HF_TOKEN=‹redacted:hf-token›
//	redis://:hunter2@cache:6379   redis://:‹redacted:password›@cache:6379
//
// What only looks secret stays, since a log without it cannot be read: hashes,
// UUIDs, host names, commits, counts of tokens, special tokens of a vocabulary.
//
// The table of shapes is our own. The scanners with large rule sets (gitleaks,
// trufflehog) are programs that search repositories, with dependencies to match
// and rules for services no training log knows; the libraries for log lines
// know neither the names of this trade (WANDB_API_KEY, num_tokens=512) nor the
// promises below.
//
// Promises, each held by a test: text without secrets comes back unchanged;
// redacting twice is redacting once; the time is linear in the text. Redaction
// is a safety net: a secret of unknown shape behind no telling name passes.
package redact
