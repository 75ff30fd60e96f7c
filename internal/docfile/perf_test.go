package docfile
import ("testing";"bytes";"fmt";"time";"math/rand";"strings";"schedmate")
func TestPerf(t *testing.T){
 s:=schedmate.Snapshot{APIVersion:schedmate.APIVersion,Kind:"Snapshot",Now:100000}
 for i:=0;i<1280;i++{ s.Cluster.Nodes=append(s.Cluster.Nodes,schedmate.Node{ID:fmt.Sprintf("n%05d",i),GPUs:8,GPUType:"V100"})}
 for i:=0;i<1280;i++{ j:=&schedmate.JobStatus{Job:schedmate.Job{ID:fmt.Sprintf("r%d",i),User:"u",GPUs:8},Seq:int64(i),Attempt:&schedmate.Attempt{Number:1}}
  for g:=0;g<8;g++{j.Attempt.Allocations=append(j.Attempt.Allocations,schedmate.Allocation{Node:fmt.Sprintf("n%05d",i),GPU:g,Share:1000})}
  j.Facts=[]schedmate.Fact{{Kind:schedmate.RunSeconds,Value:100,High:1000,Source:schedmate.FromNeighbours,Evidence:[]schedmate.Evidence{{Ref:"job 1"},{Ref:"job 2"}}}}
  s.Running=append(s.Running,j)}
 for i:=0;i<3720;i++{ j:=&schedmate.JobStatus{Job:schedmate.Job{ID:fmt.Sprintf("w%d",i),User:"u",GPUs:8},Seq:int64(i)}
  j.Facts=[]schedmate.Fact{{Kind:schedmate.RunSeconds,Value:100,High:1000,Source:schedmate.FromNeighbours,Evidence:[]schedmate.Evidence{{Ref:"job 1"},{Ref:"job 2"}}}}
  s.Waiting=append(s.Waiting,j)}
 for _,f:=range []Format{YAML,JSON}{
  var b bytes.Buffer
  t0:=time.Now()
  if err:=Write(&b,f,&s);err!=nil{t.Fatal(err)}
  t1:=time.Now(); n:=b.Len()
  if f==YAML {fmt.Println(b.String()[60000:60900]); x:=strings.Index(b.String(),"running:"); fmt.Println(b.String()[x:x+900])}
  if _,err:=ReadSnapshot("x",&b);err!=nil{t.Fatal(err)}
  fmt.Println(f,n,t1.Sub(t0),time.Since(t1))
 }
 for _,mk:=range []func(*rand.Rand) byte{func(r *rand.Rand)byte{return byte(r.Intn(256))},func(r *rand.Rand)byte{return " -:[]{}#&*!|>'\"%@`,?\nab"[r.Intn(23)]},func(r *rand.Rand)byte{return "# \na:"[r.Intn(5)]},func(r *rand.Rand)byte{return "- \n#"[r.Intn(4)]}}{
 r:=rand.New(rand.NewSource(1)); g:=make([]byte,1<<20); for i:=range g{g[i]=mk(r)}
 t0:=time.Now(); _,err:=Parse("g",bytes.NewReader(g)); fmt.Println(time.Since(t0),err)}
 for _,s:=range []string{"? ","a: ","- ","[","{","{a: ","\"","# x\n", "a: |\n x\n", "- a\n", "a: &a b\n","!x ","%","-\n","\ta\n","x\n\n", "? \n: "} {
 t0:=time.Now(); _,err:=Parse("g",strings.NewReader(strings.Repeat(s,(1<<20)/len(s)))); m:=fmt.Sprint(err); if len(m)>100{m=m[:100]}; fmt.Println(time.Since(t0),m)}
}
