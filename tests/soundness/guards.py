"""Checks that the fuzzer of certified answers finds each class of mistake within a minute after its guard is removed.

python3 tests/soundness/guards.py [--build build] [NAME...]

For each guard, changes one place in a copy of a source or header, compiles it with the build's own commands, links the
fuzzer again and runs it. The fuzzer must end with status 1. The source tree and the build do not change. A guard takes
ten seconds to compile and at most a minute of one core to be noticed.
"""

import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import relink  # noqa: E402

FUZZER = "tests/soundness/soundness_claims"
SECONDS = 60
BOX_FUNCTION = "src/quantity/box_function.cpp"
FIT_MODEL = "src/quantity/fit_model.cpp"
ROUNDING_ERROR = "src/evaluate/rounding_error.cpp"
OPERATORS = "include/farfield/formula/operators.def"

# name: (file, original text, replacement, kind of question that shows it, units of a header)
GUARDS = {
    "kinks are seen": (BOX_FUNCTION, "formula::regular(tree, formula::Regularity::lipschitz, {variable})",
                       "formula::Condition::always()", "monotone"),
    "poles are seen": (BOX_FUNCTION, "if (has_value_.is_always()) return values;", "return values;", "monotone"),
    "jumps are seen": (OPERATORS, '.lipschitz = "floor(a) < a"', '.lipschitz = "always"', "monotone",
                       "src/formula/assumptions.cpp"),
    "rounding has steps": (OPERATORS, '.defined = defined_where, .rises = {"always"})',
                           '.defined = defined_where, .continuous = "always", .lipschitz = "always", .rises = {"always"})',
                           "monotone", "src/formula/assumptions.cpp"),
    "powers of zero jump": (OPERATORS, '.lipschitz = "a > 0 or (fixed(b) and', '.lipschitz = "always or (fixed(b) and',
                            "monotone", "src/formula/assumptions.cpp"),
    "fine signs are of formulas without jumps": ("src/quantity/monotone.cpp",
                                                 "if (rigorous(counts_) != evaluate::Truth::yes) return Answer::unknown;",
                                                 "", "monotone"),
    "points without a value are sought": (BOX_FUNCTION, "if (has_value.is_always()) return std::nullopt;",
                                          "if (!has_value.is_never()) return std::nullopt;", "identity"),
    "a curve's parts have values": ("src/quantity/tabulate.cpp", "if (has_value.is_always()) return;", "return;", "curve"),
    "overflows of both signs differ": ("src/quantity/collision.cpp",
                                       "std::copysign(std::numeric_limits<double>::infinity(), value)",
                                       "std::numeric_limits<double>::infinity()", "collision"),
    "conditions have values": ("src/claim/bind.cpp", "if (values[i] != evaluate::Truth::yes) truths[i]",
                               "if (values[i] == evaluate::Truth::no && false) truths[i]", "condition"),
    "exact steps have values": ("src/evaluate/closed.cpp", "if (!tree || !has_value(tree)) return", "if (!tree) return",
                                "value"),
    "a stepwise zero is exact": ("src/quantity/range.cpp",
                                 "if (!exact) return Answer::unknown;\n        return *exact == 0 ? Answer::no : Answer::yes;",
                                 "return Answer::yes;", "range"),
    "a threshold at the start is the decimal": ("src/quantity/range.cpp",
                                                "low == high ? exact_cell(domain.exact(0, high)) : core::Cell::enclosed(between.hi, between)",
                                                "core::Cell::enclosed(high, {low, high})", "range"),
    "corners are decimals": ("src/quantity/box_search.cpp", "return enclosure_of(is_lower ? side.lo : side.hi);",
                             "return core::Enclosure::exactly(numerics::nearest(is_lower ? side.lo : side.hi));", "extremum"),
    "values of a grid are decimals": ("src/quantity/tabulate.cpp", "const numerics::Interval ends = grid.range.enclose(index);",
                                      "const numerics::Interval ends = numerics::point(grid.range.at(index));", "curve"),
    "integers beyond 2^53 are exact": ("src/numerics/counting.hpp", "if (back == value) return point(near);",
                                       "return point(near);", "condition", "src/evaluate/enclose.cpp", "src/claim/bind.cpp"),
    "weights of a fit are exact": (FIT_MODEL, "weights.tree ? enclose_rows(weights.tree, weights.tree, view) : Rows()",
                                   "[&] { Rows rows; for (const double weight : weights.values.here()) "
                                   "rows.push_back(numerics::point(weight)); return rows; }()", "fit"),
    "a fit's model has values": (FIT_MODEL, "drop_undefined(whole, {{}, view.variables(), {}}, inputs, enclosures);",
                                "static_cast<void>(whole);", "fit"),
    "r2 is about the mean of the data": ("src/numerics/enclosed_fit.cpp",
                                         "mpfi_interv_d(shifted.get(), problem.data[i].lo, problem.data[i].hi);",
                                         "mpfi_interv_d(shifted.get(), problem.data[i].lo, problem.data[i].hi); "
                                         "if (!problem.offset.empty()) mpfi_sub_d(shifted.get(), shifted.get(), "
                                         "problem.offset[i].lo);", "fit"),
    "literals overflow": (ROUNDING_ERROR,
                          "if (!std::isfinite(rounded)) return void(constant_added[i] = infinity);", "", "rounding-error"),
    "rounding operators overflow the format": (ROUNDING_ERROR,
                                               "if (!(rounded <= numerics::largest_finite(*model.format))) return infinity;",
                                               "", "rounding-error"),
    "operators that round are meant": ("src/quantity/rounding_error.cpp", "exact_->at(point).computed : at.exact",
                                      "exact_->at(point).exact : at.exact", "rounding-error"),
    "the gap of two formulas counts": ("src/quantity/rounding_error.cpp", "numerics::add_up(found.error, gap_)",
                                       "found.error", "rounding-error"),
    "every head has its rotation": ("src/quantity/safe_length_pieces.cpp", "if (!differ) {", "if (!differ || true) {",
                                    "safe-length"),
    "a rounded angle is a number": ("src/quantity/drift_search.cpp",
                                    "if (!std::isfinite(spread)) return numerics::infinity;", "", "safe-length"),
    "a temperature has a value": ("src/quantity/safe_length.cpp", "if (scheme_.temperature) see_temperature();", "",
                                  "safe-length"),
    "a scale may fall below zero": ("src/quantity/safe_length.cpp", "if (slope.hi <= 0 && values.lo > 0) return 1;",
                                    "if (slope.hi <= 0) return 1;", "safe-length"),
    "a window is seen from its start": ("src/quantity/receptive_field.cpp",
                                        "return run.first == 0 ? std::optional(run.last + 1) : std::nullopt;",
                                        "return std::optional(run.last + 1);", "receptive-field"),
    "a row of weights sees a key": ("src/quantity/convolution.cpp", "if (!(sum.lo > 0)) {", "if (sum.lo > 0 && sum.lo < 0) {",
                                    "profile"),
    "a reciprocal is rounded": ("src/quantity/rotation_error.cpp",
                                "turn.reciprocal = in_format(steps_.scale, turn.reciprocal);", "", "logit-error"),
    "an expectation is relative": ("src/quantity/expectation.cpp",
                                   "rotating.turned(shifted, p), rotating.turned(n, zero)",
                                   "rotating.turned(n, zero), rotating.turned(n, zero)", "expectation"),
    "a resolution ends at its last": ("src/quantity/attention_resolution.cpp", "if (i <= input.last) drops", "drops",
                                      "resolution"),
    "a second rotation's condition has a value": ("src/quantity/safe_length.cpp",
                                                  "if (rotation().far) see_far_condition();", "", "safe-length"),
    "far positions are finite": ("src/quantity/drift_search.cpp", " || !std::isfinite(position)", "", "safe-length"),
    "angles without a value are not close": ("src/quantity/rotation_error.cpp",
                                             "if (!exact_->is_proportional) return infinity;", "", "safe-length"),
    "a recurrence rounds every angle": ("src/quantity/rotation_error.cpp",
                                        "angle = in_format(steps_.angles, angle * rounded_frequencies_.front());",
                                        "angle = angle * rounded_frequencies_.front();", "logit-error"),
    "a list of steps leaves out the others": ("src/quantity/logit_error.cpp", "result.*step.member = nullptr;",
                                              'if (step.name != "values") result.*step.member = nullptr;', "logit-error"),
    "a part of a curve is of decimals": ("src/quantity/series_input.cpp", "if (grid) {", "if (grid && begin > 0) {",
                                         "extremum"),
    "all heads count": ("src/quantity/profile.cpp", "if (rows.size() == 1) return rows.front();",
                        "if (!rows.empty()) return rows.front();", "profile"),
    "far pairs have their own angles": ("src/quantity/expectation.cpp", "if (far) sum =", "if (far && false) sum =",
                                        "expectation"),
    "printed numbers are ranges": ("src/quantity/table.cpp", "core::rounding_interval(printed.text)",
                                   "core::rounding_interval(printed.text + \"000\")", "study"),
    "a threshold is proved between its ends": ("src/claim/break_even.cpp",
                                               "at(b) == truth_ && (direction > 0 ? is_same_between(a, b) : is_same_between(b, a))",
                                               "at(b) == truth_", "study"),
    "a range has values": ("src/quantity/range.cpp", "if (without) return Threshold{};", "", "range"),
    "a collision has values": ("src/quantity/collision.cpp", "if (without) {", "if (without && false) {", "collision"),
    "fast functions have errors": ("src/numerics/fast/trusted.hpp", "trusted_steps = 4;", "trusted_steps = 0;", "curve",
                                   "src/numerics/fast/interval_functions.cpp"),
}


def tried(name, build):
    path, guard, gap, kind, *users = GUARDS[name]
    text = (ROOT / path).read_text()
    if guard not in text:
        print(f"{name}: '{guard}' is not in {path}", flush=True)
        return False
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        try:
            objects = build.compile(ROOT / path, text.replace(guard, gap), place, [ROOT / user for user in users])
            build.link(FUZZER, objects, place / "fuzzer")
        except subprocess.CalledProcessError as error:
            print(f"{name}: not built: {error}", flush=True)
            return False
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        # A minute of processor time, however busy the computer is.
        run = subprocess.run(["sh", "-c", f"ulimit -t {SECONDS}; exec \"$@\"", "sh", place / "fuzzer", "--seconds",
                              "100000", "--kind", kind, "--wrong", "1"], capture_output=True, text=True, check=False)
        took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    is_noticed = run.returncode == 1 and "# WRONG" in run.stdout
    print(f"{name}: {'noticed' if is_noticed else 'NOT noticed'} (after {took:.1f} s of a core)", flush=True)
    return is_noticed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    build = relink.Build(options.build)
    build.bring_up_to_date(FUZZER)
    names = options.names or list(GUARDS)
    good = sum(tried(name, build) for name in names)
    print(f"{good} passed, {len(names) - good} failed")
    return 0 if good == len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
