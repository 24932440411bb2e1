#!/usr/bin/python3
"""Times R(s), a straight-line fit and the profile of one layer over 10^7 points in memory. The floor is the time of
moving their bytes."""
import sys

import measure

POINTS = 10_000_000
WORKS = ["read", "write both", "resolution", "fit", "profile"]


def main():
    with measure.Timing("curve", POINTS) as timing:
        report = measure.Report("curves", f"{POINTS} points in memory", timing.threads())
        turns = measure.take_turns(101, **{work: (lambda work=work: timing.seconds(work)) for work in WORKS})
    megabytes = POINTS * 8 / 1e6
    read, write = turns["read"][0], turns["write both"][0]
    report.times("floor: reading the points", turns["read"], f"{megabytes:.0f} MB, {megabytes / 1e3 / read:.1f} GB/s")
    report.times("floor: writing two results", turns["write both"], f"{2 * megabytes:.0f} MB")
    report.times("R(s)", turns["resolution"], f"{megabytes:.0f} MB read once")
    report.times("fit", turns["fit"], f"{6 * megabytes:.0f} MB: two columns and the data, read twice")
    report.times("profile", turns["profile"], f"{3 * megabytes:.0f} MB: read once, two results written")
    report.ratio("R(s), times reading", turns["resolution"][0] / read, 1.5, at_least=False)
    report.ratio("fit, times reading it twice", turns["fit"][0] / (6 * read), 1.5, at_least=False)
    report.ratio("profile, times reading and writing", turns["profile"][0] / (read + write), 1.5, at_least=False)
    return report.save()


if __name__ == "__main__":
    sys.exit(main())
