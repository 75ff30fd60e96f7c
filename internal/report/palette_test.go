package report

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"
)

// The colours of the page must hold for readers with each of the three kinds
// of colour blindness. Their sight is simulated with the matrices of Machado,
// Oliveira and Fernandes (2009) at full severity; distances are Euclidean in
// OKLab (Ottosson 2020), times 100, where about 2 is just noticeable.
var sights = map[string][3][3]float64{
	"normal":       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

type rgb [3]float64 // linear light, 0 to 1

func parseColour(t *testing.T, hex string) rgb {
	t.Helper()
	var c rgb
	for i := range c {
		v, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatalf("colour #%s: %v", hex, err)
		}
		if s := float64(v) / 255; s <= 0.04045 {
			c[i] = s / 12.92
		} else {
			c[i] = math.Pow((s+0.055)/1.055, 2.4)
		}
	}
	return c
}

func (c rgb) luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// contrast is the ratio of WCAG 2, section 1.4.
func contrast(a, b rgb) float64 {
	lo, hi := a.luminance(), b.luminance()
	return (max(lo, hi) + 0.05) / (min(lo, hi) + 0.05)
}

func (c rgb) seen(sight [3][3]float64) [3]float64 {
	var s rgb
	for i, row := range sight {
		s[i] = max(0, min(1, row[0]*c[0]+row[1]*c[1]+row[2]*c[2]))
	}
	l := math.Cbrt(0.4122214708*s[0] + 0.5363325363*s[1] + 0.0514459929*s[2])
	m := math.Cbrt(0.2119034982*s[0] + 0.6806995451*s[1] + 0.1073969566*s[2])
	n := math.Cbrt(0.0883024619*s[0] + 0.2817188376*s[1] + 0.6299787005*s[2])
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*n,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*n,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*n,
	}
}

func distance(a, b rgb, sight [3][3]float64) float64 {
	x, y := a.seen(sight), b.seen(sight)
	return 100 * math.Sqrt((x[0]-y[0])*(x[0]-y[0])+(x[1]-y[1])*(x[1]-y[1])+(x[2]-y[2])*(x[2]-y[2]))
}

// themes reads the light and the dark colours from the style sheet.
func themes(t *testing.T) map[string]map[string]rgb {
	t.Helper()
	roots := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(pageCSS, -1)
	if len(roots) != 2 {
		t.Fatalf("style sheet has %d themes, want light and dark", len(roots))
	}
	all := make(map[string]map[string]rgb)
	for i, name := range []string{"light", "dark"} {
		all[name] = make(map[string]rgb)
		for _, m := range regexp.MustCompile(`--(\w+): #([0-9a-f]{6});`).FindAllStringSubmatch(roots[i][1], -1) {
			all[name][m[1]] = parseColour(t, m[2])
		}
	}
	return all
}

func TestTextAndLinesStandOutFromThePage(t *testing.T) {
	for theme, c := range themes(t) {
		for _, name := range []string{"ink", "soft", "accent", "star"} {
			for _, ground := range []string{"page", "panel"} {
				if got := contrast(c[name], c[ground]); got < 4.5 {
					t.Errorf("%s: text in %s on %s has contrast %.1f, WCAG AA asks for 4.5", theme, name, ground, got)
				}
			}
		}
		for i := range colours {
			if got := contrast(c[fmt.Sprintf("c%d", i)], c["page"]); got < 3 {
				t.Errorf("%s: series %d has contrast %.2f, WCAG AA asks for 3 in graphics", theme, i, got)
			}
		}
	}
}

func TestSeriesCanBeToldApartInEachSight(t *testing.T) {
	for theme, c := range themes(t) {
		for sight, matrix := range sights {
			for i := range colours {
				for j := range i {
					got := distance(c[fmt.Sprintf("c%d", i)], c[fmt.Sprintf("c%d", j)], matrix)
					// The first five carry most pages; all have dashes too.
					want := 7.0
					if i < 5 {
						want = 12
					}
					if got < want {
						t.Errorf("%s, %s: series %d and %d are %.1f apart, want %.0f", theme, sight, j, i, got, want)
					}
				}
			}
		}
	}
}

func TestGangSizesGoFromLightToDarkInEachSight(t *testing.T) {
	for theme, c := range themes(t) {
		for sight, matrix := range sights {
			for i := range gangs {
				here := c[fmt.Sprintf("g%d", i)]
				if got := distance(here, c["ends"], matrix); got < 10 {
					t.Errorf("%s, %s: a preemption at the end of class %d is %.1f from it, want 10", theme, sight, i, got)
				}
				if got := distance(here, c["track"], matrix); got < 10 {
					t.Errorf("%s, %s: class %d is %.1f from an idle GPU, want 10", theme, sight, i, got)
				}
				if i == 0 {
					continue
				}
				before := c[fmt.Sprintf("g%d", i-1)]
				if got := distance(here, before, matrix); got < 6 {
					t.Errorf("%s, %s: classes %d and %d are %.1f apart, want 6", theme, sight, i-1, i, got)
				}
				if up := here.seen(matrix)[0] > before.seen(matrix)[0]; up != (theme == "dark") {
					t.Errorf("%s, %s: lightness turns between classes %d and %d", theme, sight, i-1, i)
				}
			}
		}
	}
}
