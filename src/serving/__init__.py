"""Pages and JSON for people on this machine: who may ask, how much they may send, on which address it is served."""
