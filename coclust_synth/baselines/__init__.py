"""Known anonymisers and private generators, to compare with; one file each."""
