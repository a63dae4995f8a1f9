"""The formulae of the label model: the shape of votes, the evidence, and the equations of the paper."""
