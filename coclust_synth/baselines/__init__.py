"""Known differentially private generators, to compare with; one file each."""
