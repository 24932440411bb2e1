"""The ends of RoPE's feasible bases, by mpmath: for each end, the root in b of the sum of cosines at its distance m.

This is the distance at which the sum is negative on the other side of the end. The script also checks that no other sum
is negative at the end.
"""
from mpmath import cos, findroot, mp, mpf

mp.dps = 40
PAIRS, FARTHEST = 32, 200


def total(m, b):
    return sum(cos(m * b ** (-mpf(i) / PAIRS)) for i in range(PAIRS))


for near in (756.19, 778.46, 895.38, 938.2, 1216.5):
    signs = {m for m in range(1, FARTHEST + 1) if (total(m, near - 0.05) < 0) != (total(m, near + 0.05) < 0)}
    (distance,) = signs
    root = findroot(lambda b: total(distance, b), near)
    least = min(total(m, root) for m in range(1, FARTHEST + 1) if m != distance)
    print(mp.nstr(root, 20), "at distance", distance, "all others at least", mp.nstr(least, 5))
