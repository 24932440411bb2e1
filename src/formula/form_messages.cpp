// What a message says of a part of a formula that has no effect.
#include <farfield/formula/printer.hpp>

#include "formula/form.hpp"

namespace farfield::formula {

std::string written(const Source& source, const Node& part) {
    const Span span = part->span;
    if (span.length == 0 || span.offset + span.length > source.text.size()) return print(part);
    return source.text.substr(span.offset, span.length);
}

core::Diagnostic describe(const Idle& idle, const Source& source, std::string_view what) {
    const std::string text = "'" + written(source, idle.part) + "'";
    const std::string values(what);
    switch (idle.why) {
        case Idle::Why::itself:
            return {place_of(source, idle.part->span), text + " compares an expression with itself",
                    "two sides that may differ", ""};
        case Idle::Why::holds:
            return {place_of(source, idle.part->span), text + " is true whatever " + values + " are",
                    "a condition that may be false", ""};
        case Idle::Why::fails:
            return {place_of(source, idle.part->span), text + " is false whatever " + values + " are",
                    "a condition that may be true", ""};
        case Idle::Why::cancels:
            return {place_of(source, idle.part->span), "'" + idle.name + "' cancels out of " + text,
                    "a condition without it", ""};
        case Idle::Why::chooses:
            return {place_of(source, idle.part->span), text + " has the same value in both branches",
                    "that value alone, or branches that differ", ""};
        case Idle::Why::rest: break;
    }
    return {place_of(source, idle.part->span), text + " has no effect: the condition is the same without it",
            "a condition without it", ""};
}

}  // namespace farfield::formula
