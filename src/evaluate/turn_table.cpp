#include "evaluate/turn_table.hpp"

#include <mpfr.h>

namespace farfield::evaluate {

const TurnTable& TurnTable::shared() {
    static const TurnTable table;
    return table;
}

/// Computes only the first eighth of a turn, since MPFR is slow.
TurnTable::TurnTable() {
    constexpr std::size_t quarter = entries / 4;
    constexpr mpfr_prec_t bits = 128;
    mpfr_t angle, sine, cosine;
    for (mpfr_ptr each : {angle, sine, cosine}) mpfr_init2(each, bits);
    std::array<CosineSine, quarter / 2 + 1> eighth;
    for (std::size_t i = 0; i < eighth.size(); ++i) {
        mpfr_const_pi(angle, MPFR_RNDN);
        mpfr_mul_ui(angle, angle, 2 * i, MPFR_RNDN);
        mpfr_div_ui(angle, angle, entries, MPFR_RNDN);
        mpfr_sin_cos(sine, cosine, angle, MPFR_RNDN);
        eighth[i] = {mpfr_get_d(cosine, MPFR_RNDN), mpfr_get_d(sine, MPFR_RNDN)};
    }
    for (mpfr_ptr each : {angle, sine, cosine}) mpfr_clear(each);
    for (std::size_t i = 0; i < entries; ++i) {
        const std::size_t within = i % quarter;
        const bool is_mirrored = within >= eighth.size();
        const CosineSine& from = eighth[is_mirrored ? quarter - within : within];
        const CosineSine first = is_mirrored ? CosineSine{from.sine, from.cosine} : from;
        switch (i / quarter) {
            case 0: table_[i] = first; break;
            case 1: table_[i] = {-first.sine, first.cosine}; break;
            case 2: table_[i] = {-first.cosine, -first.sine}; break;
            default: table_[i] = {first.sine, -first.cosine}; break;
        }
    }
}

}  // namespace farfield::evaluate
