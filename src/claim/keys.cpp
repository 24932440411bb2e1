#include <array>

#include <farfield/claim/claim.hpp>

namespace farfield::claim {

using core::Key;
using core::KeyType;

namespace {

constexpr std::string_view verdicts =
    "confirmed|refuted|undecided|depends|consistent|reproduced|not reproduced|inconclusive|mixed";
constexpr std::string_view reading_verdicts =
    "confirmed|refuted|undecided|consistent|reproduced|not reproduced|inconclusive";

const std::array claim_table = {
    Key{.name = "id", .type = KeyType::text, .required = true, .meaning = "name of the claim, unique over a run"},
    Key{.name = "says", .type = KeyType::text, .required = true, .meaning = "the claim in words"},
    Key{.name = "source", .type = KeyType::text, .meaning = "where the source says it"},
    Key{.name = "comment", .type = KeyType::text, .meaning = "what a reader should know about the verdict"},
    Key{.name = "expect",
        .type = KeyType::text,
        .meaning = "the verdict on record; a run that finds another one fails",
        .choices = verdicts},
    Key{.name = "given", .type = KeyType::table, .meaning = "thresholds the source does not give: name = number"},
    Key{.name = "because", .type = KeyType::text, .meaning = "the reason for the thresholds in `given`"},
    Key{.name = "holds",
        .type = KeyType::formula,
        .meaning = "the condition, if the claim has a single interpretation"},
    Key{.name = "shows", .type = KeyType::any, .meaning = "formula or list of formulas printed beside the verdict"},
    Key{.name = "reading", .type = KeyType::list, .meaning = "the interpretations of the claim: [[claim.reading]]"},
};

const std::array reading_table = {
    Key{.name = "name", .type = KeyType::text, .required = true, .meaning = "this interpretation, in words"},
    Key{.name = "holds",
        .type = KeyType::formula,
        .meaning = "the condition; without it the reading is undecided and `shows` has its numbers"},
    Key{.name = "shows", .type = KeyType::any, .meaning = "formula or list of formulas printed beside the verdict"},
    Key{.name = "given", .type = KeyType::table, .meaning = "thresholds of this reading; they override the claim's"},
    Key{.name = "because", .type = KeyType::text, .meaning = "the reason for the thresholds; the claim's if absent"},
    Key{.name = "extra",
        .type = KeyType::boolean,
        .fallback = "false",
        .meaning = "shown, but not counted in the claim's verdict"},
    Key{.name = "covers",
        .type = KeyType::text,
        .fallback = "whole",
        .meaning = "`part` for a condition that follows from the claim while the claim does not follow from it: it can "
                   "refute, and is `consistent` where it holds",
        .choices = "whole|part"},
    Key{.name = "expect",
        .type = KeyType::text,
        .meaning = "the reading's verdict on record",
        .choices = reading_verdicts},
};

}  // namespace

std::span<const Key> claim_keys() {
    return claim_table;
}

std::span<const Key> reading_keys() {
    return reading_table;
}

}  // namespace farfield::claim
