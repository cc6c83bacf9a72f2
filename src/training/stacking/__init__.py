"""What a stacker learns from: claims with the evidence that decides in reach, among other passages, or left out."""
