"""The page of all runs of a tab: a table, their curves over each other, two side by side, sweeps, files."""
