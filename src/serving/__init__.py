"""HTTP server for people on this machine: address, connections, headers, and limits of requests."""
