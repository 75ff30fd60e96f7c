package redact

import "regexp"

// shapes are the secrets that are known by their looks, from the documentation
// of those who issue them. The lengths are lower bounds that leave room for
// longer issues; none is so short that a word could pass.
var shapes = []shape{
	{kind: "aws-key", literals: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, pattern: regexp.MustCompile(`(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}`)},
	{kind: "aliyun-key", literals: []string{"LTAI"}, pattern: regexp.MustCompile(`LTAI[A-Za-z0-9]{12,26}`), is: mixed},
	{kind: "tencent-key", literals: []string{"AKID"}, pattern: regexp.MustCompile(`AKID[A-Za-z0-9]{32}`)},
	{kind: "github-token", literals: []string{"gh", "github_pat_"}, pattern: regexp.MustCompile(`gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}`)},
	{kind: "gitlab-token", literals: []string{"gl"}, pattern: regexp.MustCompile(`gl(?:pat|dt|rt|ptt|oas|cbt|agent)-[A-Za-z0-9_.-]{20,}`)},
	{kind: "hf-token", literals: []string{"hf_", "api_org_"}, pattern: regexp.MustCompile(`(?:hf|api_org)_[A-Za-z0-9]{30,}`)},
	{kind: "openai-key", literals: []string{"sk-"}, pattern: regexp.MustCompile(`sk-[A-Za-z0-9_-]{20,}`), is: mixed},
	{kind: "groq-key", literals: []string{"gsk_"}, pattern: regexp.MustCompile(`gsk_[A-Za-z0-9]{40,}`)},
	{kind: "xai-key", literals: []string{"xai-"}, pattern: regexp.MustCompile(`xai-[A-Za-z0-9]{40,}`)},
	{kind: "nvidia-key", literals: []string{"nvapi-"}, pattern: regexp.MustCompile(`nvapi-[A-Za-z0-9_-]{40,}`)},
	{kind: "wandb-key", literals: []string{"wandb_v", "local-"}, pattern: regexp.MustCompile(`wandb_v\d_[A-Za-z0-9_]{30,}|local-[0-9a-f]{40}`)},
	{kind: "wandb-key", literals: []string{"wandb login"}, pattern: regexp.MustCompile(`wandb login (?:--\S+ )*([0-9a-f]{40})\b`), group: 1},
	{kind: "wandb-key", literals: []string{"key", "Key", "KEY"}, group: 1, unless: hashWords,
		pattern: regexp.MustCompile(`(?i)(?:api[ _-]?key|wandb[^\n‹]{0,40}key|w&b[^\n‹]{0,40}key)[^\n‹]{0,80}?[^0-9A-Za-z]([0-9a-f]{40})\b`)},
	{kind: "slack-token", literals: []string{"xox", "xapp-"}, pattern: regexp.MustCompile(`(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}`), is: hasDigit},
	{kind: "slack-webhook", literals: []string{"hooks.slack.com/"}, pattern: regexp.MustCompile(`hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{16,})`), group: 1},
	{kind: "google-key", literals: []string{"AIza"}, pattern: regexp.MustCompile(`AIza[A-Za-z0-9_-]{35}`)},
	{kind: "google-token", literals: []string{"ya29.", "GOCSPX-", "1//0"}, pattern: regexp.MustCompile(`ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}|1//0[A-Za-z0-9_-]{40,}`)},
	{kind: "stripe-key", literals: []string{"k_live_", "k_test_"}, pattern: regexp.MustCompile(`[sr]k_(?:live|test)_[A-Za-z0-9]{16,}`)},
	{kind: "npm-token", literals: []string{"npm_"}, pattern: regexp.MustCompile(`npm_[A-Za-z0-9]{36}`)},
	{kind: "pypi-token", literals: []string{"pypi-"}, pattern: regexp.MustCompile(`pypi-[A-Za-z0-9_-]{50,}`)},
	{kind: "docker-token", literals: []string{"dckr_"}, pattern: regexp.MustCompile(`dckr_[po]at_[A-Za-z0-9_-]{20,}`)},
	{kind: "vault-token", literals: []string{"hv"}, pattern: regexp.MustCompile(`hv[sbr]\.[A-Za-z0-9_-]{20,}`)},
	{kind: "databricks-token", literals: []string{"dapi"}, pattern: regexp.MustCompile(`dapi[0-9a-f]{32}(?:-\d)?`)},
	{kind: "sendgrid-key", literals: []string{"SG."}, pattern: regexp.MustCompile(`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`)},
	{kind: "telegram-token", literals: []string{":AA"}, pattern: regexp.MustCompile(`\d{8,12}:AA[A-Za-z0-9_-]{30,}`)},
	{kind: "age-key", literals: []string{"AGE-SECRET-KEY-1"}, pattern: regexp.MustCompile(`AGE-SECRET-KEY-1[0-9A-Z]{40,}`)},
	{kind: "jwt", literals: []string{"eyJ"}, pattern: regexp.MustCompile(`eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*){0,3}`)},

	// Headers of requests. The name must be followed by what a request would
	// hold: "authorization: failed" is a word.
	{kind: "authorization", literals: []string{"uthorization", "UTHORIZATION"}, group: 1, free: true,
		pattern: regexp.MustCompile(`(?i)authorization\\*["']?\s{0,4}[:=]\s{0,4}\\*["']?(?:bearer|basic|token|digest|apikey|key|negotiate)\s+([^\s"'\\‹,;]{6,})`)},
	{kind: "authorization", literals: []string{"AWS4-HMAC-SHA256"}, group: 1, free: true, pattern: regexp.MustCompile(`AWS4-HMAC-SHA256\s+(Credential=[^"'‹]{16,})`)},
	{kind: "authorization", literals: []string{"earer ", "EARER "}, group: 1, pattern: regexp.MustCompile(`(?i)bearer\s+([A-Za-z0-9._~+/=-]{16,})`), is: hasDigit},
	{kind: "cookie", literals: []string{"ookie", "OOKIE"}, group: 1, free: true, pattern: regexp.MustCompile(`(?i)cookie\\*["']?\s{0,4}[:=]\s{0,4}\\*["']?([\w.-]{1,80}=[^"'‹\n]{4,})`)},
	{kind: "signature", literals: []string{"ignature=", "sig="}, group: 1, free: true, pattern: regexp.MustCompile(`[?&](?:Signature|sig)=([^&\s"'<>‹›]{8,})`)},
	{kind: "signature", literals: []string{"sig="}, group: 1, pattern: regexp.MustCompile(`sig=((?:[A-Za-z0-9+/]|%2[BbFf]){43}(?:%3[Dd]|=))`)}, // the first of a token without its URL
	{kind: "signature", literals: []string{"X-Amz-", "x-amz-", "X-Goog-", "x-goog-"}, group: 1,
		pattern: regexp.MustCompile(`(?i)X-(?:Amz|Goog)-(?:Signature|Security-Token|Credential)=([^&\s"'<>‹›]{8,})`)},

	// Passwords in URLs and data source names.
	{kind: "password", literals: []string{"://"}, group: 1, free: true, pattern: regexp.MustCompile(`[A-Za-z0-9+.-]://[^\s/@:"'<>‹›]*:([^\s/?"'<>‹›]+)@`), is: notTemplate},
	{kind: "token", literals: []string{"://"}, group: 1, free: true, pattern: regexp.MustCompile(`https?://([A-Za-z0-9_.~-]{20,})@`), is: mixed},
	{kind: "password", literals: []string{"@tcp(", "@unix("}, group: 1, free: true, pattern: regexp.MustCompile(`[\w.-]:([^\s@/"'‹›]+)@(?:tcp|unix)\(`)},
	{kind: "password", literals: []string{"password "}, group: 1, pattern: regexp.MustCompile(`machine \S+\s+login \S+\s+password ([^\s‹›]+)`)},

	// A private key in one line, its line breaks escaped; see also key.go.
	{kind: "private-key", literals: []string{"PRIVATE KEY"}, free: true, pattern: regexp.MustCompile(`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\\\s:,]|-[A-Za-z0-9]){16,}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?`)},
}

// hashWords say that what looks like a key is the hash of something.
var hashWords = regexp.MustCompile(`(?i)commit|sha|rev|hash|git|branch|version|digest|checksum|md5`)

// email is an address of a person.
var email = shape{kind: "email", literals: []string{"@"}, pattern: regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}\.[A-Za-z]{2,24}`)}

// mixed tells whether letters and digits are mixed, as in a key that was drawn
// at random, and not in a name such as sk-learn-contrib-extra-modules.
func mixed(s string) bool { return hasDigit(s) && hasLetter(s) }

func hasDigit(s string) bool {
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			return true
		}
	}
	return false
}

func hasLetter(s string) bool {
	for i := range len(s) {
		if s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z' {
			return true
		}
	}
	return false
}
