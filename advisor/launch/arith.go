package launch

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arith computes an arithmetic expression; false when an operand is unknown.
func (s *shell) arith(x syntax.ArithmExpr) (int64, bool) {
	if s.depth > maxDepth*8 || !s.m.step() {
		s.m.stop("an arithmetic expression is nested too deeply")
		return 0, false
	}
	s.depth++
	defer func() { s.depth-- }()
	switch e := x.(type) {
	case *syntax.Word:
		return s.operand(e)
	case *syntax.ParenArithm:
		return s.arith(e.X)
	case *syntax.UnaryArithm:
		return s.unary(e)
	case *syntax.BinaryArithm:
		return s.binaryArith(e)
	}
	return 0, false
}

func (s *shell) operand(w *syntax.Word) (int64, bool) {
	text := s.single(w)
	for hops := 0; hops < 8; hops++ { // a name stands for its value, which may be a name
		if !text.known() {
			return 0, false
		}
		t := strings.TrimSpace(text.text())
		if t == "" {
			return 0, true
		}
		if n, ok := integer(t); ok {
			return n, true
		}
		name, index, indexed := strings.Cut(strings.TrimSuffix(t, "]"), "[")
		if !syntax.ValidName(name) {
			return s.computed(t)
		}
		items, set := s.lookup(name, w.Pos())
		i := 0
		if indexed {
			var err error
			if i, err = strconv.Atoi(index); err != nil {
				return 0, false
			}
		}
		if !set || i < 0 || i >= len(items) {
			return 0, false
		}
		text = items[i]
	}
	return 0, false
}

// computed is a variable's text that is itself an expression: "2 * 3".
func (s *shell) computed(text string) (int64, bool) {
	if len(text) > 200 || strings.ContainsAny(text, "$`([") {
		return 0, false
	}
	expr, err := syntax.NewParser().Arithmetic(strings.NewReader(text))
	if err != nil {
		return 0, false
	}
	if w, ok := expr.(*syntax.Word); ok && w.Lit() == text {
		return 0, false
	}
	return s.arith(expr)
}

// integer reads a number as bash does: 0x1f, 017, 2#101.
func integer(t string) (int64, bool) {
	if base, digits, ok := strings.Cut(t, "#"); ok {
		b, err := strconv.Atoi(base)
		if err != nil || b < 2 || b > 36 {
			return 0, false
		}
		n, err := strconv.ParseInt(digits, b, 64)
		return n, err == nil
	}
	if strings.ContainsAny(t, "_oObB") {
		return 0, false
	}
	n, err := strconv.ParseInt(t, 0, 64)
	return n, err == nil
}

func (s *shell) unary(e *syntax.UnaryArithm) (int64, bool) {
	n, ok := s.arith(e.X)
	if !ok {
		if e.Op == syntax.Inc || e.Op == syntax.Dec {
			s.store(e.X, 0, false)
		}
		return 0, false
	}
	switch e.Op {
	case syntax.Not:
		return asInt(n == 0), true
	case syntax.BitNegation:
		return ^n, true
	case syntax.Minus:
		return -n, true
	case syntax.Inc, syntax.Dec:
		after := n + 1
		if e.Op == syntax.Dec {
			after = n - 1
		}
		s.store(e.X, after, true)
		if e.Post {
			return n, true
		}
		return after, true
	}
	return n, true
}

// store assigns to the variable that an expression names.
func (s *shell) store(x syntax.ArithmExpr, n int64, known bool) {
	w, ok := x.(*syntax.Word)
	if !ok || !syntax.ValidName(w.Lit()) {
		return
	}
	at := s.at(w.Pos(), w.Lit())
	if !known {
		s.set(w.Lit(), value{{text: "$" + w.Lit(), unknown: true, solid: true, from: at}})
		return
	}
	s.set(w.Lit(), literal(strconv.FormatInt(n, 10), at))
}

var assigns = map[syntax.BinAritOperator]syntax.BinAritOperator{
	syntax.AddAssgn: syntax.Add, syntax.SubAssgn: syntax.Sub, syntax.MulAssgn: syntax.Mul, syntax.QuoAssgn: syntax.Quo,
	syntax.RemAssgn: syntax.Rem, syntax.AndAssgn: syntax.And, syntax.OrAssgn: syntax.Or, syntax.XorAssgn: syntax.Xor,
	syntax.ShlAssgn: syntax.Shl, syntax.ShrAssgn: syntax.Shr,
}

func (s *shell) binaryArith(e *syntax.BinaryArithm) (int64, bool) {
	switch e.Op {
	case syntax.Assgn:
		n, ok := s.arith(e.Y)
		s.store(e.X, n, ok)
		return n, ok
	case syntax.TernQuest:
		return s.ternary(e)
	case syntax.AndArit, syntax.OrArit:
		x, okX := s.arith(e.X)
		short := e.Op == syntax.OrArit // the value of x that settles it
		if okX && (x != 0) == short {
			return asInt(short), true
		}
		y, okY := s.arith(e.Y)
		if okY && (y != 0) == short {
			return asInt(short), true
		}
		return asInt(x != 0 && y != 0), okX && okY
	}
	x, okX := s.arith(e.X)
	y, okY := s.arith(e.Y)
	if op, assign := assigns[e.Op]; assign {
		n, ok := calculate(op, x, y)
		s.store(e.X, n, ok && okX && okY)
		return n, ok && okX && okY
	}
	if e.Op == syntax.Comma {
		return y, okY
	}
	if !okX || !okY {
		return 0, false
	}
	return calculate(e.Op, x, y)
}

func (s *shell) ternary(e *syntax.BinaryArithm) (int64, bool) {
	both, ok := e.Y.(*syntax.BinaryArithm)
	if !ok {
		return 0, false
	}
	cond, known := s.arith(e.X)
	switch {
	case !known:
		return 0, false
	case cond != 0:
		return s.arith(both.X)
	}
	return s.arith(both.Y)
}

func calculate(op syntax.BinAritOperator, x, y int64) (int64, bool) {
	switch op {
	case syntax.Add:
		return x + y, true
	case syntax.Sub:
		return x - y, true
	case syntax.Mul:
		return x * y, true
	case syntax.Quo:
		if y == 0 || (y == -1 && x == -1<<63) {
			return 0, false
		}
		return x / y, true
	case syntax.Rem:
		if y == 0 || y == -1 {
			return 0, y == -1
		}
		return x % y, true
	case syntax.Pow:
		return power(x, y)
	case syntax.Eql:
		return asInt(x == y), true
	case syntax.Neq:
		return asInt(x != y), true
	case syntax.Gtr:
		return asInt(x > y), true
	case syntax.Lss:
		return asInt(x < y), true
	case syntax.Geq:
		return asInt(x >= y), true
	case syntax.Leq:
		return asInt(x <= y), true
	case syntax.And:
		return x & y, true
	case syntax.Or:
		return x | y, true
	case syntax.Xor:
		return x ^ y, true
	case syntax.Shl:
		return x << (uint64(y) & 63), true
	case syntax.Shr:
		return x >> (uint64(y) & 63), true
	}
	return 0, false
}

// power is x to the y with wrap-around, as in bash, in 63 steps at most.
func power(x, y int64) (int64, bool) {
	if y < 0 {
		return 0, false
	}
	result := int64(1)
	for ; y > 0; y >>= 1 {
		if y&1 == 1 {
			result *= x
		}
		x *= x
	}
	return result, true
}

func asInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
