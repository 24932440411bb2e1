// One quantity by itself, without a study around it.
#pragma once

#include <functional>
#include <map>
#include <string>

#include <farfield/core/document.hpp>
#include <farfield/core/table.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/scheme/registry.hpp>

namespace farfield::quantity {

/// Finished results, by the names that the keys `of`, `a` and `b` give them.
using Known = std::map<std::string, const core::Result*, std::less<>>;

/// What is asked: the keys of a [quantity.NAME] without `kind` and `sweep`.
struct Request {
    std::string kind;
    core::Entries settings;
    std::string folder = {};  ///< where relative file names start; "": where the program runs
    std::function<bool()> interrupted = [] { return false; };
};

/// A quantity that needs no trained model, checked as that of a study is, then computed; its name is that of its kind.
/// Throws core::UserError with every problem of its settings, or with what the computation found wrong with them, and
/// core::MissingError where the world is at fault. Of an interrupted one the result is of no use.
core::Result compute(const Request& request, const scheme::Registry& schemes, const Known& known = {});

/// Throws core::UserError if the formula at so many points would take more than a day (docs/study.md, Limits).
void check_work(const formula::Node& tree, double points);

}  // namespace farfield::quantity
