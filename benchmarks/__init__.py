"""Our searches and Khiops, side by side."""
