"""HTTP server for users on this machine: its address, limits on connections and requests, security headers."""
