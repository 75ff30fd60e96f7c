package redact

import "regexp"

// chineseNames are words for secrets in Chinese, with what gives them a value: a
// sign, or a word for is.
var chineseNames = regexp.MustCompile(`(密码|口令|密钥|令牌|凭据|凭证)["'”」]?[ \t]{0,4}(?:为|是)?[ \t]{0,4}(?:[:：=＝][ \t]{0,4})?`)

// findChinese adds the values behind them. A password can be anything, the others
// look like keys; words in Chinese are no values.
func findChinese(found []secret, text string) []secret {
	for _, m := range chineseNames.FindAllStringSubmatchIndex(text, -1) {
		if m[1] == m[3] { // nothing gives it a value
			continue
		}
		from, to, _ := value(text, m[1])
		name, kind := text[m[2]:m[3]], "token"
		if name == "密码" || name == "口令" {
			kind = "password"
		}
		for i := from; i < to; i++ {
			if text[i] >= 0x80 || text[i] == '\\' && kind == "token" { // the sentence goes on
				to = i
			}
		}
		v := text[from:to]
		if harmless(v) || kind == "password" && proseWord(v) || kind == "token" && !tokenLike(v) {
			continue
		}
		found = append(found, secret{from, to, kind})
	}
	return found
}
