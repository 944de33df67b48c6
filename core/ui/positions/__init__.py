"""The page of positions: how each kind looks, what a permutation changes, what lies past the trained length."""
