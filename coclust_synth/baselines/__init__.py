"""Known generators and anonymisers, to compare with; one file each."""
