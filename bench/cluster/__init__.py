"""The Ray cluster as the place of a job: overhead, scaling, and a simulation of many workers."""
