package expr

// A model of data, as far as an objective needs it: the logarithm of the joint density of the data and a latent vector, with
// its gradient. What it is stands elsewhere, as an expression of its own, with rows of its own: those of the data. Here it
// is a function that is evaluated for all draws at once.

// LogJoint is the logarithm of the joint density at a latent vector.
func (g *Graph) LogJoint(z *Node) *Node {
	return g.intern(Node{Op: opLogJoint, Args: []*Node{z}, Type: Scalar.Over(z.Type.Axes)})
}

// LogJointGradient is its gradient, of the shape of the latent vector.
func (g *Graph) LogJointGradient(z *Node) *Node {
	return g.intern(Node{Op: opLogJointGradient, Args: []*Node{z}, Type: z.Type})
}

// OfModel reports whether a node is a value of the model.
func (n *Node) OfModel() bool { return n.Op == opLogJoint || n.Op == opLogJointGradient }
