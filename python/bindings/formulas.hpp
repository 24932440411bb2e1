// A formula as Python holds it.
#pragma once

#include <farfield/formula/parser.hpp>
#include <farfield/formula/tree.hpp>

namespace farfield::python {

struct Formula {
    formula::Node tree;
    formula::Source source;  ///< what problems point into
};

/// The formula as its own source, for one that no user wrote.
Formula printed(const formula::Node& tree);

}  // namespace farfield::python
