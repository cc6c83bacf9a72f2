"""What every step shares: arguments, claim ranges, resume, failures, manifest, progress, dry run, merging of shards."""
