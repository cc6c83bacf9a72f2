"""Two debaters, a judge and a refiner make an explanation faithful to its evidence (MADR, Kim et al. 2024)."""
