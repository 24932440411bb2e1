#include <fmt/format.h>

#include <farfield/study/study.hpp>

#include "study/body.hpp"
#include "study/formulas.hpp"
#include "study/plan.hpp"

namespace farfield::study {
namespace {

/// The effort of computing an item: operations, trained models, or nothing while it waits for them.
std::string effort_of(const Item& item) {
    if (!item.waits_for.empty()) return "waits for training";
    if (item.prepared) return fmt::format("about {:.1e} operations", item.prepared->cost());
    std::string text = item.needs_models ? "trains" : "settings of";
    for (const std::string& training : item.trainings)
        text += (&training == &item.trainings.front() ? " " : ", ") + training;
    return text;
}

}  // namespace

std::string describe(const Study& study) {
    const Study::Body& body = *study.body();
    std::string text = body.title + "\n";
    if (!body.source.empty()) text += "source: " + body.source + "\n";
    if (!body.doc.empty()) text += body.doc + "\n";
    double total = 0;
    if (!body.items.empty()) text += "\nquantities, in the order of their computation\n";
    for (const Item& item : body.items) {
        total += item.prepared ? item.prepared->cost() : 0;
        text += fmt::format("  {:<24} {:<16} {}", item.name, item.kind, effort_of(item));
        for (const std::string& need : item.needs) text += (&need == &item.needs.front() ? "; reads " : ", ") + need;
        text += "\n";
    }
    if (total > 0) text += fmt::format("  in all about {:.1e} operations\n", total);
    const auto formulas = formulas_of(body, std::vector<bool>(body.items.size(), true));
    if (!formulas.empty()) text += "\nformulas\n";
    for (const core::FormulaRecord& formula : formulas) text += "  " + formula.where + " = " + formula.text + "\n";
    if (!body.figures.empty()) text += "\nfigures\n";
    for (const core::FigureRecord& figure : body.figures)
        text += "  " + figure.name + (figure.source.empty() ? "" : ": " + figure.source) + "\n";
    if (!body.claims.empty()) text += "\nclaims\n";
    for (const claim::Claim& claim : body.claims) {
        const std::string expected =
            claim.expected ? std::string(core::verdict_name(*claim.expected)) : "no verdict on record";
        text += fmt::format("  {} ({}): {}\n", claim.id, expected, claim.says);
    }
    return text;
}

}  // namespace farfield::study
