"""Forms in which a check or a run is passed on: ClaimReview, a bibliography, a table. Each is a function to text."""
