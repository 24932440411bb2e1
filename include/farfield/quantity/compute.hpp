// Computes a single quantity without a study.
#pragma once

#include <functional>
#include <map>
#include <string>

#include <farfield/core/document.hpp>
#include <farfield/core/table.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/scheme/registry.hpp>

namespace farfield::quantity {

/// Finished results, by the names that the keys `of`, `a` and `b` use.
using Known = std::map<std::string, const core::Result*, std::less<>>;

/// The settings: the keys of a [quantity.NAME] without `kind` and `sweep`.
struct Request {
    std::string kind;
    core::Entries settings;
    std::string folder = {};  ///< where relative file names start; "": where the program runs
    std::function<bool()> interrupted = [] { return false; };
};

/// Checks and computes a quantity that needs no trained model, as in a study. Its name is the name of its kind. Throws
/// core::UserError with every problem of the settings, found before or during the computation, and core::MissingError
/// for a failure outside the program. If interrupted, the result is invalid.
core::Result compute(const Request& request, const scheme::Registry& schemes, const Known& known = {});

/// Throws core::UserError if the formula at so many points would take more than a day (docs/study.md, Limits).
void check_work(const formula::Node& tree, double points);

}  // namespace farfield::quantity
