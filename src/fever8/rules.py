"""The rules of FEVER-8 in numbers: one machine with an A10G, and a minute for each claim on average."""

SECONDS_A_CLAIM = 60.0  # on average; the download of the data is not counted
GPU_BYTES = 23 * 10**9
MEMORY_BYTES = 32 * 10**9
DISK_BYTES = 450 * 10**9  # with the knowledge store
PYTHON = "3.12"
CUDA = 12  # major version of the machine's driver
SPLIT_SIZES = (500, 1000)  # claims of AVeriTeC's dev, and of the test split of 2025
