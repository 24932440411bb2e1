#include "evaluate/traffic.hpp"

#include "evaluate/shape.hpp"

namespace farfield::evaluate {

namespace {

using formula::Instruction;
using formula::Step;

Traffic operation_traffic(const Instruction& row) {
    const Shape shape = shape_of_row(row.op);
    const bool from_booleans = shape == Shape::b_b || shape == Shape::b_bb;
    Traffic traffic{{{from_booleans || shape == Shape::r_brr, row.a}}, {{is_boolean(shape), row.dest}}};
    if (arity(shape) > 1) traffic.reads.push_back({from_booleans, row.b});
    if (arity(shape) > 2) traffic.reads.push_back({false, row.c});
    return traffic;
}

Traffic begin_traffic(const Instruction& row, bool boolean) {
    Traffic traffic{{{false, row.a}, {false, row.b}}, {{boolean, row.dest}, {false, row.variable}}};
    if (formula::row(row.op).choice) traffic.writes.push_back({false, formula::best_of(row)});
    return traffic;
}

}  // namespace

Traffic traffic_of(const Instruction& row) {
    const bool boolean = is_boolean(shape_of_row(row.op));
    switch (row.step) {
        case Step::operation: return operation_traffic(row);
        case Step::lookup: return {{{false, row.a}}, {{false, row.dest}}};
        case Step::loop_begin: return begin_traffic(row, boolean);
        case Step::loop_end:
            if (formula::row(row.op).integral) return {{{false, row.a}, {false, row.b}, {false, row.dest}}, {}};
            if (formula::row(row.op).choice)
                return {{{false, row.a}, {false, row.b}, {false, formula::best_of(row)}, {false, row.dest}}, {}};
            return {{{boolean, row.a}, {boolean, row.dest}}, {}};
    }
    return {};
}

}  // namespace farfield::evaluate
