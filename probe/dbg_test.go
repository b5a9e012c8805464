package probe
import ("testing";"fmt";"os")
func TestDbg(t *testing.T){
 e,a:=os.Getenv("E"),os.Getenv("A")
 if e=="" {t.Skip()}
 for _,x:=range []string{e,a}{ d:=compile(x,true)
  for i:=range d.tokens{tk:=&d.tokens[i]; fmt.Printf("  %q c%d cl%d stop%v neg%v ch%v aux%v %v\n",tk.text,tk.class,tk.clause,tk.stop,d.negative(tk),tk.chosen,tk.aux,tk.keys)}
  fmt.Println(d.sentences, d.clauses)}
 c:=newClaim(e,false); d:=compile(a,true)
 for _,f:=range c.facts{fmt.Printf(" fact %q w%.2f hard%v neg%v\n",f.text,f.weight,f.hard,f.negative)}
 for _,w:=range c.windows(d,nil){fmt.Printf("%+v %+v\n",w,c.read(d,w.from,w.to))}
 fmt.Printf("%v %+v\n",Score(e,a),c.ask(d,nil,nil))
}
