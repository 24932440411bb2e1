// A formula as Python holds it.
#pragma once

#include <farfield/formula/parser.hpp>
#include <farfield/formula/tree.hpp>
#include <string>
#include <vector>

namespace farfield::python {

struct Formula {
    formula::Node tree;
    formula::Source source;              ///< what problems point into
    std::vector<std::string> dropped{};  ///< names that what it was made from had: a call may give them values
};

/// The formula as its own source, for one that no user wrote; made from one of these names.
Formula printed(const formula::Node& tree, std::vector<std::string> from = {});

}  // namespace farfield::python
