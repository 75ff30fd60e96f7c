// Package config finds out how the product is configured.
//
// Every setting has one value, from the first of these that gives one:
//
//	a flag                 --parallel 4
//	the environment        SCHEDMATE_PARALLEL=4
//	a configuration file   parallel: 4
//	what is built in
//
// The file is the one that --config or SCHEDMATE_CONFIG names; else
// schedmate/config.yaml in the user's configuration folder; else
// /etc/schedmate/config.yaml. One file is read, files are not merged. Its
// format is described in docs/format/config.md.
//
// A setting that is wrong anywhere is an error, also where a stronger source
// overrides it in the end: a mistake should show on the day it is made. An
// environment variable that is empty counts as not set.
package config
