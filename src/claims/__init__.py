"""The claims of HOVER and FEVEROUS-S, and of any file by their texts alone."""
