"""The positions at which long tables are sampled, and the vectors that are rotated. They are the same for all packages."""
import torch

WIDTH = 64  # of a head
LONGEST = 131072

# All positions up to 32, each power of two and its neighbours, the midpoints, and the positions around the largest
# number of float16: 65519 rounds to 65504, 65520 to infinity.
POSITIONS = sorted(
    set(range(33))
    | {2 ** power + step for power in range(5, 17) for step in (-1, 0, 1)}
    | {3 * 2 ** power for power in range(4, 16)}
    | {65519, 65520, LONGEST - 1}
)


def positions(below=LONGEST):
    return torch.tensor([p for p in POSITIONS if p < below])


def name_of(dtype):
    return str(dtype).removeprefix("torch.")


def finite_part(name, numbers):
    """Yields the numbers before the first position with a number that is not finite, and a flag for each position that
    is finite."""
    finite = numbers.isfinite().all(-1)
    good = finite.long().cumprod(0).bool()
    yield name, numbers[good]
    yield f"{name}-positions", positions()[good]
    yield f"{name}-q", vectors(len(POSITIONS))[good]
    yield f"{name}-finite", finite


def vectors(count, width=WIDTH):
    """Small nonzero integers, which every format represents exactly, so that errors of a rotated vector come from the
    rotation."""
    generator = torch.Generator().manual_seed(11)
    whole = torch.randint(1, 4, (count, width), generator=generator)
    sign = torch.randint(0, 2, (count, width), generator=generator) * 2 - 1
    return (whole * sign).float()
