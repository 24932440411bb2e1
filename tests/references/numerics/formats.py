"""Numbers rounded to number formats by numpy and ml_dtypes, for tests/evaluate/rounding_operators_test.cpp.

python3 tests/references/numerics/formats.py > tests/references/numerics/formats.inc

The arguments are fp32 numbers, because ml_dtypes rounds a double through fp32: random bits, midpoints between two
numbers of a format, and both neighbours of each midpoint. Needs numpy and ml_dtypes (0.4 and later).
"""
import random
import warnings

import ml_dtypes
import numpy as np

FORMATS = {"fp16": np.float16, "bf16": ml_dtypes.bfloat16, "e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}


def arguments():
    random.seed(20)
    for _ in range(120):
        yield np.uint32(random.getrandbits(32)).view(np.float32)
    for _ in range(120):
        yield np.float32(random.choice([-1, 1]) * random.random() * 2.0 ** random.randint(-26, 18))
    for name, kind in FORMATS.items():
        for _ in range(30):
            # Between a number of the format and the next one by its bits.
            low = kind(2.0 ** random.randint(-9, 8) * (1 + random.random()))
            bits = low.view(np.uint16 if name in ("fp16", "bf16") else np.uint8)
            middle = np.float32((float(low) + float((bits + 1).astype(bits.dtype).view(kind))) / 2)
            for value in (middle, np.nextafter(middle, np.float32(0)), np.nextafter(middle, np.float32(np.inf))):
                yield np.float32(random.choice([-1, 1])) * value
    for value in (0.0, 65504, 65520, 65519.996, 464, 464.00003, 448, 57344, 61440, 61439.996, 2.0**-10, 2.0**-25, 2.0**-17, 3.3961775e38, 3.4028235e38):
        yield np.float32(value)


def text(value):
    value = float(value)
    if np.isnan(value):
        return "nan"
    if np.isinf(value):
        return "-inf" if value < 0 else "inf"
    return value.hex()


def main():
    warnings.filterwarnings("ignore")
    print("// By tests/references/numerics/formats.py; each row: a number, then fp16, bf16, e4m3, e5m2 of it.")
    for value in arguments():
        if np.isnan(value):
            continue
        row = [text(value)] + [text(value.astype(kind)) for kind in FORMATS.values()]
        print("{" + ", ".join(f'"{each}"' for each in row) + "},")


if __name__ == "__main__":
    main()
