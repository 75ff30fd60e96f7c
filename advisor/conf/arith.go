package conf

import (
	"math"
	"strconv"
	"strings"

	"schedmate/advisor/origin"
)

// Arithmetic computes an expression of numbers with + - * / // % ** and
// parentheses as Python does. It returns nil when the text is anything else.
func Arithmetic(text string, at *origin.Origin) *Node {
	if len(text) > 1000 {
		return nil
	}
	c := calculator{text: text}
	v := c.sum(0)
	if c.space(); c.failed || c.pos < len(text) {
		return nil
	}
	return v.node(at)
}

// number is a Python number: an integer or a float.
type number struct {
	i       int64
	f       float64
	isFloat bool
}

func (v number) float() float64 {
	if v.isFloat {
		return v.f
	}
	return float64(v.i)
}

func (v number) node(at *origin.Origin) *Node {
	if v.isFloat {
		return &Node{Kind: Float, Float: v.f, Origin: at}
	}
	return &Node{Kind: Int, Int: v.i, Origin: at}
}

type calculator struct {
	text   string
	pos    int
	failed bool
}

func (c *calculator) space() {
	for c.pos < len(c.text) && strings.IndexByte(" \t\n", c.text[c.pos]) >= 0 {
		c.pos++
	}
}

func (c *calculator) eat(op string) bool {
	c.space()
	rest := c.text[c.pos:]
	if !strings.HasPrefix(rest, op) || len(op) == 1 && len(rest) > 1 && rest[0] == rest[1] && (op == "*" || op == "/") {
		return false
	}
	c.pos += len(op)
	return true
}

func (c *calculator) fail() number {
	c.failed = true
	return number{}
}

func (c *calculator) sum(depth int) number {
	v := c.product(depth)
	for !c.failed {
		switch {
		case c.eat("+"):
			v = c.apply("+", v, c.product(depth))
		case c.eat("-"):
			v = c.apply("-", v, c.product(depth))
		default:
			return v
		}
	}
	return v
}

func (c *calculator) product(depth int) number {
	v := c.unary(depth)
next:
	for !c.failed {
		for _, op := range []string{"//", "*", "/", "%"} {
			if c.eat(op) {
				v = c.apply(op, v, c.unary(depth))
				continue next
			}
		}
		break
	}
	return v
}

func (c *calculator) unary(depth int) number {
	if depth > maxDepth {
		return c.fail()
	}
	switch {
	case c.eat("-"):
		return c.apply("-", number{}, c.unary(depth+1))
	case c.eat("+"):
		return c.unary(depth + 1)
	}
	v := c.atom(depth)
	if !c.failed && c.eat("**") {
		v = c.apply("**", v, c.unary(depth+1))
	}
	return v
}

func (c *calculator) atom(depth int) number {
	if c.eat("(") {
		v := c.sum(depth + 1)
		if !c.eat(")") {
			return c.fail()
		}
		return v
	}
	start := c.pos
	for c.pos < len(c.text) {
		b := c.text[c.pos]
		exponent := c.pos > start && (b == '+' || b == '-') && strings.IndexByte("eE", c.text[c.pos-1]) >= 0
		if strings.IndexByte("0123456789._eE", b) < 0 && !exponent {
			break
		}
		c.pos++
	}
	text := strings.ReplaceAll(c.text[start:c.pos], "_", "")
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return number{i: i}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return c.fail()
	}
	return number{f: f, isFloat: true}
}

// apply is one operation; whole numbers stay whole but for / and a negative
// power. What does not fit 64 bits is not computed.
func (c *calculator) apply(op string, a, b number) number {
	if c.failed {
		return number{}
	}
	x, y := a.float(), b.float()
	var f float64
	switch op {
	case "+":
		f = x + y
	case "-":
		f = x - y
	case "*":
		f = x * y
	case "**":
		f = math.Pow(x, y)
	default:
		if y == 0 {
			return c.fail()
		}
		f = x / y
		if op == "//" {
			f = math.Floor(f)
		} else if op == "%" {
			f = x - y*math.Floor(x/y)
		}
	}
	whole := !a.isFloat && !b.isFloat && op != "/" && (op != "**" || b.i >= 0)
	if !whole {
		return number{f: f, isFloat: true}
	}
	if math.Abs(f) < 1<<52 {
		return number{i: int64(math.Round(f))}
	}
	return c.fail()
}
