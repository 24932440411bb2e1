#include "cli/error_families.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace farfield::cli {

namespace {

/// A message belongs to the first family with a matching pattern, so special patterns come before general ones.
const std::vector<ErrorFamily> families = {
    {"unexpected-verdict",
     {"claim *: expected *, found *", "claim *: found *, without an expected verdict*"},
     "A claim was judged, and its verdict is not the one that the study expects.",
     "Read the numbers behind it: farfield explain CLAIM STUDY. Correct the condition if it does not say what the "
     "source "
     "says. If the new verdict is right, record it with its reason: farfield run STUDY --update --because \"...\"."},
    {"missing-verdict",
     {"claim *: missing*"},
     "A claim could not be judged because this machine lacks something for one of its quantities.",
     "Install or provide what the message names, and run the study again. The exit status is 3."},
    {"needs-training",
     {"*training, which --train asks for*"},
     "The quantity is measured of trained models, and models are trained only when asked.",
     "Name the study's file itself, or add --train for a folder."},
    {"diverged",
     {"*the loss diverged*", "*the loss is not finite, or far too large*"},
     "The training produced a loss that is not a finite number, or far too large.",
     "Lower the learning rate lr, lengthen warmup, or set clip. Check that the scheme has finite values at the trained "
     "lengths."},
    {"missing-gnuplot",
     {"*starting gnuplot*", "*drawing with gnuplot*"},
     "Figures are drawn by gnuplot, which is missing or failed.",
     "Install it (Debian: apt-get install gnuplot-nox), or leave figures out: --no-figures. Numbers and verdicts need "
     "no "
     "gnuplot."},
    {"too-much-work",
     {"*would take about * operations*", "a sweep of * items*", "*the range has * values*", "a picture of * points*",
      "*the study declares * items*", "*becomes * items*", "*over * fields*", "*is too large once*",
      "*nesting deeper than * levels*"},
     "The study asks for more than a day's work or more items than are kept.",
     "Take fewer or wider steps, a shorter range, or fewer values in the sweep."},
    {"invalid-toml",
     {"*this is not TOML*", "*is below a table that is part of it*", "*is not one of TOML*", "*has no closing quote*",
      "*a date or a time*"},
     "The file does not follow the syntax of TOML at this place.",
     "Texts are quoted, lists use brackets, tables use braces or a heading in brackets; each key is given once. "
     "farfield new writes a study that is valid."},
    {"invalid-json",
     {"*invalid JSON*", "*is not JSON*", "*duplicate key*", "*not a results.json*", "*the configuration is a list*"},
     "The file is not the JSON that is expected.",
     "Correct the place that the message names. results.json files are written by farfield run, configurations by the "
     "program that saved the model."},
    {"invalid-formula",
     {"*does not belong here*", "*is not an operator*", "*the formula ends here*", "*has no meaning here*",
      "*comparisons are not chained*", "*this quotation has no end*", "*was given * argument*",
      "*is not a number; expected digits*", "*an unknown escape*", "*with * arguments; expected*",
      "* has * indexes; expected*", "*cannot be used in a formula*", "the label * lacks a brace*"},
     "The formula cannot be read at this place.",
     "docs/formula.md lists operators and functions. A power is ^, a comparison has two sides, and a function has its "
     "arguments in parentheses: farfield explain FUNCTION."},
    {"condition-expected",
     {"*expected a condition*", "the formula is a number*", "the claim can never be*"},
     "A number is given where a condition is needed.",
     "Compare the number: row.max <= 4, or rounds(fit.a, '-0.825'), or about(x, 0.6, 0.1)."},
    {"number-expected",
     {"*is a condition*expected a number*", "*is a condition*expected a formula*", "*a condition has no derivative*",
      "*is a text; expected a number*", "*a text has no value*", "*the formula is a condition*", "*is a condition on*",
      "*is too large for a number*", "found nan in a sample*"},
     "A condition or a text is given where a number is needed.",
     "Choose between two numbers with if(condition, a, b), or compare outside."},
    {"printed-number",
     {"the second argument of rounds()*", "*is not a number; expected a decimal number as printed*",
      "printed() is given*", "about() has * arguments*", "the third argument of about()*", "all() has*",
      "found a number in a sample*"},
     "rounds() and printed tables need a number as the source prints it, since its digits say how it was rounded.",
     "Quote it: rounds(x, '0.50'). For a share of difference use about(x, y, 0.1)."},
    {"missing-reason",
     {"a threshold in '*' has no reason*", "--update has no reason*", "*gives the reason of thresholds*",
      "--because needs --update*"},
     "A choice that the source does not make needs a reason beside it.",
     "Write because = \"...\" in the reading, or --because \"...\" with --update."},
    {"missing-reading",
     {"*the claim has no reading*", "*every reading of the claim is extra*", "*the claim has 'holds' and readings*"},
     "A claim has no condition that counts.",
     "Give it holds = \"...\", or a [[claim.reading]] with name and holds."},
    {"no-value",
     {"*has no value (NaN)*", "* is nan*", "* is inf at *", "*is inf; expected*", "*no key of the last query*",
      "*the let name*is nan*", "*has no finite value*", "*has no row at n = *", "*are not shown to have a value*",
      "integral() has no value*", "*a number whose inverse*", "*the curve ends at *",
      "*no point of the series is in the range*"},
     "A formula has no finite number at a point where one is needed.",
     "Look at the point that the message names: a logarithm or root of a negative number, a division by zero, or a "
     "mask "
     "without a visible key. Restrict the range, or use if() or max()."},
    {"circle",
     {"*in a circle*", "quantities need each other*", "quantity '*' is of itself*"},
     "Tables refer to each other in a circle, so that none can be computed first.",
     "Remove one of the references, or introduce a third table that both use."},
    {"duplicate",
     {"*a second claim with the id*",
      "*is listed twice*",
      "*are the same path*",
      "*are named '*'*",
      "*has a value already*",
      "*has the value * twice*",
      "*hides a name*",
      "*hides a quantity*",
      "*hides a threshold*",
      "*; expected another name*",
      "*cannot be the name of*",
      "*is a variable, and the key*",
      "*has a value here and a range*",
      "* gives '*' two values*",
      "* is given twice",
      "*a second study named*",
      "*is defined twice*",
      "*is a quantity and a training*",
      "* both name *",
      "*already defines it*"},
     "Two things have one name, or a name means something else already.",
     "Choose another name: letters, digits, '-' and '_', and no word of the language."},
    {"says-nothing",
     {"*compares an expression with itself*",
      "*whatever * are*",
      "*has no effect*",
      "*cancels out of*",
      "*the same value in both branches*",
      "*against itself*",
      "*with itself*",
      "*to itself*",
      "*is the same formula as*",
      "*which attention does not see*",
      "*which changes nothing*",
      "*is the same for all queries and keys*",
      "*is always the same*",
      "*is the same at all positions*",
      "*changes nothing of the scheme*",
      "*has no part*",
      "*the study computes nothing*",
      "*has the settings of*",
      "*has one value, *",
      "*is a range of one value*",
      "*numbers of the sample are the same*",
      "*has one value; *",
      "*is over no integer*",
      "clamp() is from *",
      "*chooses the same branch everywhere*",
      "*is 0 everywhere*",
      "*is -inf everywhere*",
      "*is inf everywhere*",
      "*'temperature' is *",
      "*have the same weight*",
      "*all weights are*",
      "*the condition is that of the reading*",
      "*repeats the claim*",
      "*rounds nothing*",
      "*rotates by the same angle as*",
      "*all scores are alike*",
      "*does not depend on it*",
      "*the condition of * does not depend on*",
      "*nothing is rotated*",
      "*nothing is left to measure*",
      "*no two values to compare*",
      "*the points do not tell the parameters apart*",
      "*the model has no parameter to find*",
      "*nothing of the series lies within*"},
     "A condition, a comparison or a part of a scheme has one answer whatever the numbers are.",
     "Correct the name or the number that makes both sides the same, or remove the part. docs/verdicts.md and "
     "docs/study.md say "
     "what is refused."},
    {"unused",
     {"*is unused*", "*nothing in '*' depends on*", "* does not take '*'", "*there is no '*' to set a value of*",
      "'query' of *", "'over' of *", "*of a model that is linear in its parameters*", "'equal_variances' of *",
      "'at' of *", "*next to a recipe*", "*is not a param*"},
     "Something was given that no result depends on. It is refused since it is usually a mistake.",
     "Correct its name, use it in a formula, or remove it."},
    {"damaged-tensor",
     {"*the header of this file is damaged*", "*this is not a .np*", "*this is not a GGUF file*",
      "*the shape * takes * bytes*", "*the shape * is beyond any file*", "*holds pickled Python objects*",
      "*a file whose name ends in*", "*there is no tensor*", "*: NaN at *", "*a tensor of shape * read as*",
      "*read as [*", "*the tensor is empty*"},
     "A file of tensors is not what its name or header says, or has another shape than the comparison needs.",
     "Write it anew with numpy.save, safetensors or gguf, and state its layout where it is not [heads, queries, "
     "keys]."},
    {"learned-length",
     {"*whose learned embedding has * positions*"},
     "A learned embedding has as many rows as it was given; beyond them it has no value.",
     "Use lengths within max_length of the scheme."},
    {"even-width",
     {"*expected an even width*", "*a multiple of 'heads'*", "'*' is *; expected a multiple of *"},
     "A rotation acts on pairs of dimensions, and the number of heads divides the width of a model.",
     "Choose an even head_dim, and a width that is a multiple of heads."},
    {"corpus-too-short",
     {"*asks '*' for *", "*the longest text to train on has*", "*the shortest row of its corpus*",
      "*has no row at length*"},
     "The corpus has too little text for the lengths or rows that are asked for.",
     "Ask for fewer segments or shorter lengths, or use a longer corpus."},
    {"no-series",
     {"*has no series to draw*", "*is not a series*", "*is a series; expected*", "*has none of the columns*",
      "a matrix is drawn as a heat map*", "a heat map of what is not a matrix*", "* labels for * series*", "* labels"},
     "A figure or condition needs a series of a certain form, and the quantity has another.",
     "farfield list quantities names the kinds; their pages under docs/quantities name the series and columns."},
    {"missing-file",
     {"*opening '*", "*there is no such file*", "*cannot read '*", "*is not a regular file*",
      "*the folder has no study*", "*looking for '*", "*there is no results.json*", "*the file is over*"},
     "A file or folder is not there, or is not of the form that is needed.",
     "Check the path. Names in a study start from the study's folder; a study is a .toml file."},
    {"cannot-write",
     {"*would overwrite *", "*writing '*", "*making the folder*", "'*' exists; expected*", "*is not a folder*"},
     "A result cannot be written there.",
     "Choose another folder with -o, and check that it is writable and has room."},
    {"option-value",
     {"--* has '*'; expected*", "*is given with*", "*number system '*'; expected*", "*this is not a range*",
      "*a picture cannot be written as*", "*has more than two configurations*", "*cannot be imported*",
      "*; expected NAME=FROM:TO*", "unexpected argument *", "submit gives *", "--set *: * is swept*",
      "-o names the file *", "the id * cannot be named*"},
     "An option has a value that it does not take.",
     "The message says which values it takes; farfield help COMMAND lists its options."},
    {"no-such-part",
     {"*cannot be exported to*", "*which flex-attention cannot do*", "*is not imported*", "*has no bias; expected*",
      "*which is not causal*", "*which learns nothing*", "*which has no value here*", "*does not rotate*",
      "*which export to * does not support*", "* needs far angles *", "*rotates, and the tensor*",
      "*cannot start from*", "* is a study, and --cuda*", "--* is for a formula, and * is a scheme*"},
     "The scheme lacks what is asked of it, or the target cannot express it.",
     "Choose another scheme, kind or target; farfield show SCHEME prints what a scheme has."},
    {"exclusive-options",
     {"*are both given*", "*exclude each other*", "*either * or *", "help is given *", "'--*' is given '*'"},
     "Two things were given of which only one can apply.",
     "Remove one of them."},
    {"nothing-to-do",
     {"*has nothing to work on*", "* needs a *", "* needs tokens*", "*has no file*", "* has no value; expected*",
      "the value of '*' is empty*", "argument * of * is empty*", "* compares two results*",
      "*the formula has no variable*", "*has no schemes*", "the studies have no figures*",
      "*no FPCore that can be imported*", "no claim of these studies has the id*"},
     "The command line lacks something that the command needs.",
     "farfield help COMMAND shows what it takes, with an example."},
    {"unknown-name",
     {"*unknown *", "*nothing is named '*", "*there is no scheme*", "*there is no list of*", "*no task has the id*",
      "*has no field '*", "*has no column '*", "no column '*", "*has no parameter '*", "*the keys * are not there*",
      "*is neither a param nor a learned name*", "*names no variable*", "*is read as a difference*", "* is a sweep; *"},
     "A name is not known at this place.",
     "The last line of the message lists the names known here, the nearest first. farfield list prints schemes, kinds, "
     "functions and formats."},
    {"missing-key",
     {"*the key '*' is missing*", "*has no kind*", "*without '*'*", "*has no text*", "*names no key*",
      "--* without --*", "*without a name*", "'all_heads' without *", "'bias_scaled' without *"},
     "A table of the study lacks a key that it must have.",
     "Add it: farfield explain KIND lists the keys of a quantity, docs/study.md those of the other tables."},
    {"out-of-range",
     {"*; expected at least *",
      "*; expected at most *",
      "*is *; expected * to *",
      "*the range * is empty*",
      "*the sweep over '*' is empty*",
      "*is not a pair of a number and a larger one*",
      "*expected a number above*",
      "*expected a positive number*",
      "*expected a whole number*",
      "*is negative*",
      "*cannot be '*",
      "*is empty*",
      "*is finite*",
      "*not finite*",
      "*a seed is*",
      "the learned * of scheme * is *",
      "the let name * of scheme * is *",
      "*more digits than a double holds*",
      "*too small for a double*",
      "the param * of scheme * is *",
      "the param * of scheme *; expected*",
      "*; expected less than *",
      "*; expected more than *",
      "*; expected a number between*",
      "*; expected an integer, at least*",
      "*reach beyond the query*",
      "*heads * to * of *",
      "*layer * of a model with *",
      "the range of * is not a pair of numbers*",
      "*the first value of *() is*",
      "*the last value of *() is*",
      "*does not reach its end*",
      "* points for * parameters*",
      "samples of * and * numbers*",
      "* layers and * masks*",
      "a row of * cells*",
      "an empty sample*",
      "*a logarithmic axis cannot start*",
      "a table of * positions*",
      "* coordinates for * distances*",
      "the row is not over the distances*"},
     "A value is outside of what is allowed.",
     "The message says what is expected; change the value."},
    {"wrong-type",
     {"*is a text*", "*is an integer*", "*is a number*", "*is a list*", "*is a table*", "*is a boolean*",
      "*is not a number*", "*found a list*", "*has an integer in it*", "*has a table*", "*is not a table*",
      "*cannot be swept*", "* is a folder; expected*", "*is not a list of *", "*over other than one interval*",
      "*has more than one variable*", "*a byte 0x00*"},
     "A value is of another type than its key takes.",
     "Texts are quoted, lists use brackets, tables use braces: [1, 2], { from = 0, to = 8 }."},
};

/// Whether the text matches the pattern, in which "*" matches any text.
bool fits(std::string_view pattern, std::string_view text) {
    std::size_t at = 0, place = 0, star = std::string::npos, again = 0;
    while (place < text.size()) {
        if (at < pattern.size() && pattern[at] == '*') {
            star = at++;
            again = place;
        } else if (at < pattern.size() && pattern[at] == text[place]) {
            ++at;
            ++place;
        } else if (star != std::string::npos) {
            at = star + 1;
            place = ++again;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', at) == std::string::npos;
}

/// The first line of a message, without "FILE:3:1: " before it.
std::string_view heart_of(std::string_view message) {
    message = message.substr(0, message.find('\n'));
    const std::size_t end = message.find(": ");
    const std::size_t colon = message.find(':');
    const bool has_place = end != std::string::npos && message.substr(0, end).find(' ') == std::string::npos &&
                           (colon < end || message.substr(0, end).find('.') != std::string::npos);
    return has_place ? message.substr(end + 2) : message;
}

}  // namespace

std::span<const ErrorFamily> error_families() {
    return families;
}

const ErrorFamily* find_error(std::string_view name_or_message) {
    for (const ErrorFamily& family : families)
        if (family.id == name_or_message) return &family;
    const std::string_view text = heart_of(name_or_message);
    // A single word is a name, which may be mistyped.
    if (text.find(' ') == std::string::npos) return nullptr;
    for (const ErrorFamily& family : families) {
        const auto is_of = [&](std::string_view pattern) { return fits(pattern, text); };
        if (std::any_of(family.patterns.begin(), family.patterns.end(), is_of)) return &family;
    }
    return nullptr;
}

}  // namespace farfield::cli
