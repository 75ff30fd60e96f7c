package tracker

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func replace(seed uint64, text string) string { return string(NewWords(seed).Replace([]byte(text))) }

// What is no word stays: the pattern says what, words are written as ≈.
func TestWhatStays(t *testing.T) {
	word := regexp.MustCompile(`≈+`)
	f := func(text, kept string) {
		t.Helper()
		pattern := "^" + word.ReplaceAllStringFunc(regexp.QuoteMeta(kept), func(m string) string {
			return `[\p{L}\p{M}]{` + string(rune('0'+utf8.RuneCountInString(m))) + `}`
		}) + "$"
		got := replace(1, text)
		if !regexp.MustCompile(pattern).MatchString(got) || got == text {
			t.Errorf("%q became %q, want %q with words in place of ≈", text, got, kept)
		}
	}
	f("step 5/90 loss=2.1e-4", "≈≈≈≈ 5/90 ≈≈≈≈=2.1e-4")
	f("loss nan inf -Inf", "≈≈≈≈ nan inf -Inf")
	f("  14/24 [00:03<00:05,  1.68it/s, acc=1]", "  14/24 [00:03<00:05,  1.68≈≈/≈, ≈≈≈=1]")
	f("time 0.2 s, 3 ms, 6.46s/100 iters, 145401 tok/s", "≈≈≈≈ 0.2 ≈, 3 ≈≈, 6.46≈/100 ≈≈≈≈≈, 145401 ≈≈≈/≈")
	f("ms/batch 30.96 memory (GiB): 3 speed(iter/s) 4", "≈≈/≈≈≈≈≈ 30.96 ≈≈≈≈≈≈ (≈≈≈): 3 ≈≈≈≈≈(≈≈≈≈/≈) 4")
	f("step_time_ms 3 steps_per_second 4", "≈≈≈≈_≈≈≈≈_≈≈ 3 ≈≈≈≈≈_≈≈≈_≈≈≈≈≈≈ 4")
	f("eta 1h02m left 3 days", "≈≈≈ 1≈02m ≈≈≈≈ 3 ≈≈≈≈")
	f("0x1fa3 v2 3.6k 7B model", "0x1fa3 ≈2 3.6k 7B ≈≈≈≈≈")
	f("2024-05-01T10:00:00.1Z Sun Jan  3 ok", "2024-05-01T10:00:00.1Z ≈≈≈ ≈≈≈  3 ≈≈")
	f("I0103 13:26:38.221392  6584 Iteration", "I0103 13:26:38.221392  6584 ≈≈≈≈≈≈≈≈≈")
	f("【训练】第 63/120 步，耗时 0.570 秒，剩余 0 小时 12 分", "【≈≈】≈ 63/120 ≈，≈≈ 0.570 ≈，≈≈ 0 ≈≈ 12 ≈")
	f("\x1b[32mstep\x1b[0m 5\r", "\x1b[32m≈≈≈≈\x1b[0m 5\r")
	f(`{"step": 5, "ok": true, "name": "a\nb", "x": null}`, `{"≈≈≈≈": 5, "≈≈": true, "≈≈≈≈": "≈\n≈", "≈": null}`)
	f("2024-05-01T10:00:00.1Z stdout F loss 2", "2024-05-01T10:00:00.1Z stdout F ≈≈≈≈ 2")
	f("[rank0]: loss 2", "[rank0]: ≈≈≈≈ 2")
	f("[1,0]<stdout>:loss 2", "[1,0]<stdout>:≈≈≈≈ 2")
	f("(Worker pid=123, ip=10.0.0.2) loss 2", "(Worker pid=123, ip=10.0.0.2) ≈≈≈≈ 2")
	f(`{"log":"\u001b[1mloss\u001b[0m 2\n","stream":"stdout","time":"2024-05-01T10:00:00.1Z"}`,
		`{"log":"\u001b[1m≈≈≈≈\u001b[0m 2\n","stream":"stdout","time":"2024-05-01T10:00:00.1Z"}`)
}

// A word is itself again in every case and line, and as part of a name.
func TestTheSameWordIsTheSame(t *testing.T) {
	got := strings.Fields(replace(7, "loss LOSS Loss train_loss\nloss step"))
	if got[0] != strings.ToLower(got[1]) || got[0] != strings.ToLower(got[2]) || !strings.HasSuffix(got[3], "_"+got[0]) || got[4] != got[0] || got[5] == got[0] {
		t.Errorf("loss LOSS Loss train_loss loss step became %q", got)
	}
	if replace(7, "loss") == replace(8, "loss") {
		t.Error("two seeds give the same word")
	}
	if replace(7, "损失 步 损失") == replace(8, "损失 步 损失") {
		t.Error("two seeds give the same Chinese words")
	}
}

// A log in UTF-16 is read as text.
func TestUTF16IsDecoded(t *testing.T) {
	wide := []byte{0xff, 0xfe, 'a', 0, 'b', 0, ' ', 0, '5', 0, '\n', 0}
	if got, want := string(NewWords(1).Replace(wide)), replace(1, "ab 5\n"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Two words of equal length never become one.
func TestWordsStayApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		word := rapid.StringMatching(`[a-z]{3,9}`)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if a != b && !isUnit(a) && !isUnit(b) && replace(seed, a) == replace(seed, b) {
			t.Errorf("%q and %q both become %q", a, b, replace(seed, a))
		}
	})
}

// Bytes, lines and digits stay where they are, whatever the text.
func TestLengthStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.OneOf(rapid.String(), rapid.StringMatching(`([a-zA-Z损失步 :=/_\n\r\x1b\[\]"\\{}0-9.-]{1,8}){0,20}`)).Draw(t, "text"))
		if bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.HasPrefix(text, []byte{0xfe, 0xff}) {
			t.Skip("UTF-16")
		}
		got := NewWords(3).Replace(text)
		if len(got) != len(text) {
			t.Fatalf("%d bytes became %d: %q, %q", len(text), len(got), text, got)
		}
		for i := range text {
			fixed := text[i] < 0x80 && !(text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z')
			if fixed && got[i] != text[i] {
				t.Fatalf("byte %d of %q became %q", i, text, got)
			}
		}
	})
}

// A JSON line stays one, with the same numbers in the same order.
func TestJSONStaysJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := map[string]any{}
		for _, key := range rapid.SliceOfDistinct(rapid.StringMatching(`[a-z_]{1,6}`), rapid.ID).Draw(t, "keys") {
			doc[key] = rapid.OneOf(rapid.Float64().AsAny(), rapid.String().AsAny(), rapid.Bool().AsAny(), rapid.Just(any(nil))).Draw(t, key)
		}
		line, err := json.Marshal(doc)
		if err != nil {
			t.Skip("not JSON")
		}
		got := NewWords(5).Replace(line)
		if !json.Valid(got) {
			t.Fatalf("%s became %s", line, got)
		}
	})
}

func FuzzWords(f *testing.F) {
	f.Add([]byte("step 5 \x1b[32mloss\x1b"), uint64(1))
	f.Add([]byte(`{"log":"\u001b[`), uint64(2))
	f.Add([]byte("\xff\xfea"), uint64(3))
	f.Add([]byte("000İK"), uint64(70)) // their small letters are shorter
	f.Fuzz(func(t *testing.T, log []byte, seed uint64) {
		w := NewWords(seed)
		got := w.Replace(log)
		if !bytes.HasPrefix(log, []byte{0xff, 0xfe}) && !bytes.HasPrefix(log, []byte{0xfe, 0xff}) && len(got) != len(log) {
			t.Errorf("%d bytes became %d", len(log), len(got))
		}
	})
}
