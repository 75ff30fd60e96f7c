// Package experiments holds the experiments that the product ships, one YAML
// file each, named after the experiment.
package experiments
