package expr

import "strings"

// A model of data, as far as an objective needs it: the logarithm of the joint density of the data and a latent vector, with
// its gradient. What it is stands elsewhere, as an expression of its own, with rows of its own: those of the data. Here it
// is a function that is evaluated for all draws at once. Where the expectations of some of its terms are known, an objective
// asks for the others alone.

// Terms says which terms of a log joint density are meant.
type Terms int

// All terms, those whose expectations are estimated, or all terms with finer rules for their integrals and series.
const (
	AllTerms Terms = iota
	EstimatedTerms
	FinerTerms
)

// LogJoint is the logarithm of the joint density at a latent vector, or some terms of it.
func (g *Graph) LogJoint(z *Node, terms Terms) *Node {
	return g.intern(Node{Op: opLogJoint, Args: []*Node{z}, Index: int(terms), Type: Scalar.Over(z.Type.Axes)})
}

// LogJointGradient is its gradient, of the shape of the latent vector.
func (g *Graph) LogJointGradient(z *Node, terms Terms) *Node {
	return g.intern(Node{Op: opLogJointGradient, Args: []*Node{z}, Index: int(terms), Type: z.Type})
}

// OfModel reports whether a node is a value of the model.
func (n *Node) OfModel() bool { return n.Op == opLogJoint || n.Op == opLogJointGradient }

// modelName is what a value of the model is called in formulas.
func (n *Node) modelName() string {
	switch n.Terms() {
	case EstimatedTerms:
		return strings.Replace(n.Op.Name, "log_joint", "estimated", 1)
	case FinerTerms:
		return "finer_" + n.Op.Name
	}
	return n.Op.Name
}

// Terms are those of the log joint density that a value of the model has.
func (n *Node) Terms() Terms { return Terms(n.Index) }
