#include "quantity/box_parts.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "numerics/parallel.hpp"

namespace farfield::quantity {
namespace {

using evaluate::Enclosing;

/// Boxes that are decided together.
constexpr std::size_t most_parts_at_once = 256;
/// With fewer boxes, another thread does not pay off.
constexpr std::size_t fewest_for_thread = 16;
/// The most boxes that are too narrow to halve and are decided at 128 bits.
constexpr std::size_t most_rigorous = 20'000;
/// If the open boxes have more undecided members in total, the narrowest boxes are halved first to save memory.
constexpr std::size_t most_left = 50'000'000;

class PartSearch {
public:
    PartSearch(const BoxDecider& decider, const Domain& domain) : decider_(decider), domain_(domain) {}

    std::vector<BoxPart> run(std::size_t most, const std::function<bool()>& interrupted) {
        push(decider_.whole());
        for (std::size_t looked_at = 0; !open_.empty() && looked_at < most && !interrupted();) {
            std::vector<BoxDecider::Open> boxes = pop(std::min(most_parts_at_once, most - looked_at));
            looked_at += boxes.size();
            std::vector<Answer> answers(boxes.size());
            numerics::in_parallel(boxes.size(), fewest_for_thread, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) answers[i] = decide(boxes[i]);
            });
            for (std::size_t i = 0; i < boxes.size(); ++i) take(std::move(boxes[i]), answers[i]);
        }
        for (BoxDecider::Open& open : open_) add(open, Answer::unknown);
        return std::move(parts_);
    }

private:
    void push(BoxDecider::Open open) {
        left_ += open.size();
        open_.push_back(std::move(open));
    }

    std::vector<BoxDecider::Open> pop(std::size_t most) {
        std::vector<BoxDecider::Open> boxes;
        while (!open_.empty() && boxes.size() < most) {
            const bool is_crowded = left_ > most_left;
            boxes.push_back(std::move(is_crowded ? open_.back() : open_.front()));
            is_crowded ? open_.pop_back() : open_.pop_front();
            left_ -= boxes.back().size();
        }
        return boxes;
    }

    Answer decide(BoxDecider::Open& open) const {
        const Answer answer = decider_.decide(open, Enclosing::fast);
        const bool again = answer == Answer::unknown && open.needs_digits && rigorous_ < most_rigorous;
        return again ? decider_.decide(open, Enclosing::rigorous) : answer;
    }

    void take(BoxDecider::Open open, Answer answer) {
        if (open.needs_digits) ++rigorous_;
        const std::vector<Box> halves = answer == Answer::unknown ? domain_.halves(open.box) : std::vector<Box>{};
        if (answer == Answer::unknown && halves.empty() && !open.needs_digits && rigorous_ < most_rigorous) {
            ++rigorous_;
            answer = decider_.decide(open, Enclosing::rigorous);
        }
        if (halves.empty()) add(open, answer);
        for (const Box& half : halves) {
            BoxDecider::Open next = open;
            next.box = half;
            push(std::move(next));
        }
    }

    void add(const BoxDecider::Open& open, Answer answer) {
        const bool is_refuted = answer == (decider_.is_opposite() ? Answer::yes : Answer::no);
        parts_.push_back({open.box, answer, open.has_value, is_refuted ? open.suspect : std::nullopt});
    }

    const BoxDecider& decider_;
    const Domain& domain_;
    std::deque<BoxDecider::Open> open_;  ///< the widest first
    std::size_t left_ = 0;
    std::size_t rigorous_ = 0;
    std::vector<BoxPart> parts_;
};

}  // namespace

std::vector<BoxPart> find_parts(const BoxDecider& decider, const Domain& domain, std::size_t most,
                                const std::function<bool()>& interrupted) {
    return PartSearch(decider, domain).run(most, interrupted);
}

}  // namespace farfield::quantity
