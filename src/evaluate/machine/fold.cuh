// Folds of a row in an order that does not depend on the device, the number of threads or the shape of the grid.
#pragma once

#include "evaluate/machine/row.cuh"

namespace farfield::device {

/// The shape of a fold's tile: each lane processes one group of numbers of every row of the tile.
constexpr std::size_t lanes_a_tile = 256;
constexpr std::size_t rows_a_tile = 64;

constexpr std::size_t states_of(std::size_t groups) {
    const std::size_t tile = lanes_a_tile * rows_a_tile;
    return (groups + tile - 1) / tile * lanes_a_tile;
}

/// The first fold: computes state `lane` from the numbers of one lane of one tile. Adjacent lanes read adjacent
/// numbers. A Term has `group` and a State, whose initial value is `State{}`, and
///   add(state, first, count)   adds the numbers first .. first + count - 1 to the state, count at most `group`
///   join(state, other)         adds the state of another lane
template <class Term>
struct FoldNumbers {
    Term term;
    std::size_t count;
    typename Term::State* out;

    FARFIELD_BOTH void operator()(std::size_t lane) const {
        constexpr std::size_t group = Term::group;
        constexpr std::size_t stride = lanes_a_tile * group;
        std::size_t first = (lane / lanes_a_tile * rows_a_tile * lanes_a_tile + lane % lanes_a_tile) * group;
        typename Term::State state{};
        if (first + (rows_a_tile - 1) * stride + group <= count) {
            // Unrolled, the largest bodies would exceed a device's registers and instruction cache.
            FARFIELD_ROLLED
            for (std::size_t row = 0; row < rows_a_tile; ++row) term.add(state, first + row * stride, group);
        } else {
            for (std::size_t row = 0; row < rows_a_tile && first < count; ++row, first += stride)
                term.add(state, first, count - first < group ? count - first : group);
        }
        out[lane] = state;
    }
};

/// The further folds, which combine the states of the fold before.
template <class Term>
struct FoldStates {
    Term term;
    const typename Term::State* in;
    std::size_t count;
    typename Term::State* out;

    FARFIELD_BOTH void operator()(std::size_t lane) const {
        std::size_t at = lane / lanes_a_tile * rows_a_tile * lanes_a_tile + lane % lanes_a_tile;
        typename Term::State state{};
        for (std::size_t row = 0; row < rows_a_tile && at < count; ++row, at += lanes_a_tile) term.join(state, in[at]);
        out[lane] = state;
    }
};

struct ExtremesTerm {
    using State = Extremes;
    static constexpr std::size_t group = 1;
    Row x;

    FARFIELD_BOTH void add(State& state, std::size_t first, std::size_t) const {
        const double value = x.at(first);
        if (!(::fabs(value) < infinite()) && state.first_not_finite == nowhere) state.first_not_finite = first;
        if (value != value) {
            if (state.first_nan == nowhere) state.first_nan = first;
            return;
        }
        take(state, {value, value, first, first, nowhere, nowhere});
    }
    FARFIELD_BOTH void join(State& state, const State& other) const {
        if (other.first_nan < state.first_nan) state.first_nan = other.first_nan;
        if (other.first_not_finite < state.first_not_finite) state.first_not_finite = other.first_not_finite;
        take(state, other);
    }

private:
    // Takes the first of equal numbers by index, because the numbers of a lane are not contiguous in the row.
    FARFIELD_BOTH static void take(State& state, const State& other) {
        if (other.least < state.least || (other.least == state.least && other.at_least < state.at_least)) {
            state.least = other.least;
            state.at_least = other.at_least;
        }
        if (other.greatest > state.greatest ||
            (other.greatest == state.greatest && other.at_greatest < state.at_greatest)) {
            state.greatest = other.greatest;
            state.at_greatest = other.at_greatest;
        }
    }
};

struct SumTerm {
    using State = Sum;
    static constexpr std::size_t group = 1;
    Row x;

    FARFIELD_BOTH void add(State& state, std::size_t first, std::size_t) const { state.add(x.at(first)); }
    FARFIELD_BOTH void join(State& state, const State& other) const { state.add(other); }
};

struct DotTerm {
    using State = Sum;
    static constexpr std::size_t group = 1;
    Row x;
    Row y;

    FARFIELD_BOTH void add(State& state, std::size_t first, std::size_t) const {
        state.add_product(x.at(first), y.at(first));
    }
    FARFIELD_BOTH void join(State& state, const State& other) const { state.add(other); }
};

struct WeightTerm {
    using State = RowSums;
    static constexpr std::size_t group = 8;
    Row x;
    double scale;
    double next;  ///< the exponent after the last one

    FARFIELD_BOTH void add(State& state, std::size_t first, std::size_t count) const {
        double exponents[group + 1];
        if (first + group < x.count) {
            x.read<group>(first, exponents);
            exponents[group] = x.at(first + group);
            for (double& each : exponents) each *= scale;
        } else {
            for (std::size_t i = 0; i <= group; ++i) exponents[i] = i <= count ? exponent(first + i) : -infinite();
        }
        double largest = state.shift;
        for (const double each : exponents) largest = each > largest ? each : largest;
        move(state, largest);
        double here = weight(exponents[0], largest);
        for (std::size_t i = 0; i < count; ++i) {
            const double after = weight(exponents[i + 1], largest);
            state.total += here;
            state.squares += here * here;
            state.falls += here * (here - after);
            here = after;
        }
    }
    FARFIELD_BOTH void join(State& state, const State& other) const {
        const double largest = other.shift > state.shift ? other.shift : state.shift;
        State moved = other;
        move(state, largest);
        move(moved, largest);
        state.total += moved.total;
        state.squares += moved.squares;
        state.falls += moved.falls;
    }

private:
    FARFIELD_BOTH double exponent(std::size_t index) const {
        return index < x.count ? scale * x.at(index) : index == x.count ? next : -infinite();
    }
    // The weight is 0 for an exponent of -inf, even if the shift is -inf too.
    FARFIELD_BOTH static double weight(double exponent, double shift) {
        return exponent == -infinite() ? 0 : ::exp(exponent - shift);
    }
    FARFIELD_BOTH static void move(State& state, double shift) {
        if (state.shift != shift) {
            const double factor = state.shift == -infinite() ? 0 : ::exp(state.shift - shift);
            state.total *= factor;
            state.squares *= factor * factor;
            state.falls *= factor * factor;
        }
        state.shift = shift;
    }
};

struct StepsTerm {
    using State = Steps;
    static constexpr std::size_t group = 1;
    Row x;  ///< has one number more than the fold's count

    FARFIELD_BOTH void add(State& state, std::size_t first, std::size_t) const {
        const double from = x.at(first);
        const double to = x.at(first + 1);
        const double step = from == to ? 0 : to - from;  // 0 between equal infinities
        state.variation.add(::fabs(step));
        if (step < 0) ++state.falls;
        if (!(step > 0)) return;
        ++state.rises;
        if (first < state.first_rise) state.first_rise = first;
        if (step > state.largest_rise) state.largest_rise = step;
    }
    FARFIELD_BOTH void join(State& state, const State& other) const {
        state.rises += other.rises;
        state.falls += other.falls;
        if (other.first_rise < state.first_rise) state.first_rise = other.first_rise;
        if (other.largest_rise > state.largest_rise) state.largest_rise = other.largest_rise;
        state.variation.add(other.variation);
    }
};

struct FirstAboveTerm {
    struct State {
        std::size_t index = nowhere;
    };
    static constexpr std::size_t group = 1;
    Row x;
    double limit;

    FARFIELD_BOTH void add(State& state, std::size_t first, std::size_t) const {
        if (x.at(first) > limit && first < state.index) state.index = first;
    }
    FARFIELD_BOTH void join(State& state, const State& other) const {
        if (other.index < state.index) state.index = other.index;
    }
};

/// The sums of products of all pairs i <= j of up to `rows` factors, in the order of i, then of j.
template <unsigned rows>
struct ProductsTerm {
    struct State {
        Sum sums[pairs_of(rows)];
    };
    static constexpr std::size_t group = 1;
    Factors given;

    FARFIELD_BOTH void add(State& state, std::size_t first, std::size_t) const {
        double factors[rows];
        for (unsigned i = 0; i < rows; ++i) {
            factors[i] = i < given.count ? given.rows[i].at(first) : 0;
            if (i == given.data && given.offset.count != 0) factors[i] -= given.offset.at(first);
        }
        Sum* sum = state.sums;
        if (given.weights.count == 0) {
            for (unsigned i = 0; i < rows; ++i)
                for (unsigned j = i; j < rows; ++j, ++sum) sum->add_product(factors[i], factors[j]);
            return;
        }
        const double weight = given.weights.at(first);
        for (unsigned i = 0; i < rows; ++i) {
            const numerics::DoubleDouble weighted = numerics::two_product(weight, factors[i]);
            for (unsigned j = i; j < rows; ++j, ++sum) sum->add_product(weighted, factors[j]);
        }
    }
    FARFIELD_BOTH void join(State& state, const State& other) const {
        for (unsigned i = 0; i < pairs_of(rows); ++i) state.sums[i].add(other.sums[i]);
    }
};

/// The residuals of the model data = sum_j parameter_j column_j + offset.
template <class Columns>
struct ResidualsTerm {
    using State = Residuals;
    static constexpr std::size_t group = 1;
    Columns columns;
    FitData fit;
    double centre;

    FARFIELD_BOTH void add(State& state, std::size_t first, std::size_t) const {
        const double residual = columns.residual(fit.wanted(first), first);
        const double weight = fit.weight(first);
        const double distance = fit.data.at(first) - centre;
        state.squares.add_product(weight * residual, residual);
        state.spread.add_product(weight * distance, distance);
        if (!(weight > 0)) return;
        ++state.points;
        const double size = ::fabs(residual);
        if (!(size <= state.largest)) state.largest = size;
    }
    FARFIELD_BOTH void join(State& state, const State& other) const {
        state.squares.add(other.squares);
        state.spread.add(other.spread);
        if (!(other.largest <= state.largest)) state.largest = other.largest;
        state.points += other.points;
    }
};

}  // namespace farfield::device
