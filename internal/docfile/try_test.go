package docfile
import ("testing";"strings";"fmt")
func TestTry(t *testing.T){
 head:="apiVersion: schedmate/v1\nkind: Job\njob:\n"
 for _,s:=range []string{
  head+"  id: a\n  gpus: 1\n  submit_s: 0\n",
  head+"  id: a\n  gpu: 1\n  submit_s: 0\n",
  head+"  id: 12\n  gpus: 1\n  submit_s: 0\n",
  head+"  id: a\n  gpus: 1.5\n  submit_s: 0\n",
  head+"  id: a\n  gpus: 1e3\n  submit_s: 0\n",
  head+"  id: a\n  gpus: 0x10\n  submit_s: 0\n",
  head+"  id: a\n  gpus: '4'\n  submit_s: 0\n",
  head+"  id: a\n  gpus: 99999999999999999999999\n  submit_s: 0\n",
  head+"  id: a\n  gpus: 0\n  submit_s: 0\n",
  head+"  id: a\n  gpus:\n  submit_s: 0\n",
  head+"  id: a\n  gpus: 1\n",
  head+"  id: a\n   gpus: 1\n",
  head+"\tid: a\n\tgpus: 1\n",
  head+"  id: a\n gpus: 1\n",
  head+"  id: a\n  gpus: 1\n  gpus: 2\n",
  head+"  id: &x a\n  gpus: 1\n",
  head+"  id: !!str a\n  gpus: 1\n",
  head+"  id: ! a\n  gpus: 1\n",
  head+"  id: a\n  gpus: 1\n  submit_s: 0\n---\na: 1\n",
  head+"  id: a\n  gpus: 1\n  submit_s: 0\n---\n",
  head+"  id: a: b\n  gpus: 1\n",
  head+"  id: \"a\n  gpus: 1\n",
  head+"  id: [a\n  gpus: 1\n  submit_s: 0\n",
  head+"  id: {a\n",
  "hello", "[1,2]", "", "# x\n", "kind: Job", "a\x00b", "\xff\xfea\x00",
  "{\"apiVersion\":\"schedmate/v1\",\n\"kind\":\"Job\",\n\"job\":{\"id\":\"\\ud83d\\ude00\",\n\"gpus\":1,\n\"submit_s\":0.0}}",
  "{\"apiVersion\":\"schedmate/v1\",\n\"kind\":\"Job\",\n\"job\":{\"id\":\"\\ud83d\",\n\"gpus\":1,\n\"submit_s\":0.0}}",
  "{\"apiVersion\":\"schedmate/v1\",\n\"kind\":\"Job\",\n\"job\":{\"id\":\"x\",\n\"gpus\":1,\n\"submit_s\":0,}}",
  "{\"apiVersion\":\"schedmate/v1\",\n\"kind\":\"Job\"\n\"job\":{\"id\":\"x\",\n\"gpus\":1,\n\"submit_s\":0}}",
  strings.Repeat("[",100), strings.Repeat("[",100)+strings.Repeat("]",100), strings.Repeat("[",20000),strings.Repeat("- ",20000),
  head+"  id: a\n  gpus: 1\n  submit_s: 0\n  slo:\n    class: strict\n    tiers:\n      - {deadline_s: 5, reward: 100}\n      - {deadline_s: 5, reward: 100}\n",
  head+"  id: a\n  gpus: 1\n  submit_s: 0\n  slo:\n    class: soft\n    tiers:\n      - {deadline_s: 5, reward: 100}\n      - {deadline_s: 5, reward: 100}\n",
 }{
  j,err:=ReadJob("job.yaml",strings.NewReader(s))
  if len(s)>200 {s=s[:200]}
  fmt.Printf("%q\n   -> %v %v\n",strings.TrimPrefix(s,head),j!=nil,err)
 }
}
