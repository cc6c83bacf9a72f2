"""Code shared by all steps: arguments, claim ranges, resume, failures, manifest, progress, dry run, merging shards."""
