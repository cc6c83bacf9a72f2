"""Debate on explanations: two debaters, a judge and a refiner make them faithful (MADR, Kim et al. 2024)."""
