package redact

import (
	"regexp"
	"strings"
)

// commands are the options of well-known programs that take a secret, as command
// lines in a log show them. A secret in quotes may hold blanks.
var commands = []shape{
	{kind: "password", literals: []string{"mysql", "mariadb"}, group: 1, is: notTemplate,
		pattern: regexp.MustCompile(`(?:mysql|mariadb)[a-z-]{0,12}(?: [^\n|;&]{0,200}?)? -p` + given)},
	{kind: "password", literals: []string{"mongo"}, group: 1, is: notTemplate,
		pattern: regexp.MustCompile(`mongo[a-z]{0,8}(?: [^\n|;&]{0,200}?)? -p ?` + given)},
	{kind: "password", literals: []string{"curl "}, group: 1, is: func(s string) bool { return notTemplate(s) && !strings.HasPrefix(s, "//") },
		pattern: regexp.MustCompile(`curl(?: [^\n|;]{0,300}?)? (?:-[A-Za-z]{0,8}[uU] ?|--(?:proxy-)?user[ =])["']?[^\s:"'‹]{0,80}:([^\s"'‹›]+)`)},
	{kind: "password", literals: []string{"sshpass "}, group: 1, is: notTemplate, pattern: regexp.MustCompile(`sshpass -p ?` + given)},
	{kind: "password", literals: []string{"login "}, group: 1, is: notTemplate,
		pattern: regexp.MustCompile(`(?:docker|podman|nerdctl|buildah|skopeo|crane|oras|helm|az|oc)[a-z ]{0,20} login(?: [^\n|;&]{0,200}?)? -p[ =]?` + given)},
	{kind: "password", literals: []string{"redis-cli "}, group: 1, is: notTemplate, pattern: regexp.MustCompile(`redis-cli(?: [^\n|;&]{0,200}?)? -a ` + given)},
}

// given is a value on a command line.
const given = `["']?([0-9A-Za-z!@#$%^&*_+=./~][^\s"'‹›]{2,}|[0-9A-Za-z!@#$%^&*_+=./~][^"'‹›\n]{2,80}["'])`
