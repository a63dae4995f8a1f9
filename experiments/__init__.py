"""The paper's experiments, written as a user of the library would write them."""
