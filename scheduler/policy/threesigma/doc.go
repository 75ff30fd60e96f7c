// Package threesigma x
package threesigma
