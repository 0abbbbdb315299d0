package derive_test
import ("testing";"os";"fmt";"github.com/sngdgen/sngdgen/spec";"github.com/sngdgen/sngdgen/gen/derive")
func TestDbg(t *testing.T){
 derive.Debug=func(a ...any){fmt.Println(a...)}
 for _,n:=range []string{"eightschools","funnel","volatility","horseshoe","hierarchical"} {
  b,_:=os.ReadFile("../../tests/rivals/posteriors/specs/"+n+".yaml")
  f,diags:=spec.Parse("x.yaml",b,nil); if f==nil {t.Fatal(diags.String())}
  fmt.Println("==",n)
  d:=derived(t,f.Problems[0]); fmt.Println(d.Variational.Exact!=nil)
 }
}
