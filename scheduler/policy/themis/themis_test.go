package themis

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"schedmate"
)

func TestOptions(t *testing.T) {
	d := Descriptor()
	for _, tc := range []struct {
		options Options
		names   string
	}{
		{Options{Placement: "consolidated", Lease: 1}, ""},
		{Options{Placement: "x", Lease: 1}, "placement"},
		{Options{Placement: "consolidated"}, "lease_s"},
		{Options{Placement: "consolidated", Lease: schedmate.MaxSeconds + 1}, "lease_s"},
	} {
		_, err := d.New(tc.options)
		if (err == nil) != (tc.names == "") || err != nil && !strings.Contains(err.Error(), tc.names) {
			t.Errorf("%+v: want an error that names %q, got %v", tc.options, tc.names, err)
		}
	}
}

// rho by hand, in millionths.
func TestRho(t *testing.T) {
	for _, tc := range []struct {
		name                                     string
		age, left, run, gang, gpus, shared, jobs int64
		want                                     int64
	}{
		// Alone, and running since it came: exactly as fast as it should be.
		{"alone", 50, 50, 100, 4, 8, 50, 1, 1_000_000},
		// It has waited 100 s for 100 s of work, and half of the cluster holds it.
		{"waited", 100, 100, 100, 4, 8, 200, 2, 2_000_000},
		// Of four jobs each may have two GPUs, a quarter of what its gang wants:
		// T_ideal is 4 * 100 s, T_shared 100 + 100.
		{"gang above its share", 100, 100, 100, 8, 8, 400, 4, 500_000},
		// Alone for 100 s, one of three for 100 s: N = 2, T_ideal = 2 * 100.
		{"company changed", 200, 100, 100, 8, 8, 100 + 300, 3, 1_500_000},
		// In the second of its submission N is what it is now.
		{"newcomer", 0, 100, 100, 8, 8, 0, 5, 200_000},
		{"work that takes no time", 0, 0, 0, 1, 8, 0, 1, 0},
	} {
		if got := rho(tc.age, tc.left, tc.run, tc.gang, tc.gpus, tc.shared, tc.jobs); got != tc.want {
			t.Errorf("%s: rho is %d millionths, want %d", tc.name, got, tc.want)
		}
	}
}

// mulDiv is the quotient of arbitrary precision, or half an int64.
func TestMulDiv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64Min(0).Draw(t, "a"), rapid.Int64Min(0).Draw(t, "b")
		c := rapid.Int64Min(1).Draw(t, "c")
		want := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
		want.Div(want, big.NewInt(c))
		if most := big.NewInt(math.MaxInt64 / 2); want.Cmp(most) > 0 {
			want = most
		}
		if got := mulDiv(a, b, c); got != want.Int64() {
			t.Fatalf("%d * %d / %d is %d, want %s", a, b, c, got, want)
		}
	})
}
