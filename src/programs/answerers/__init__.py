"""Who answers the steps of programs, and from what evidence."""
