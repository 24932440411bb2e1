#include "study/plan.hpp"

#include <algorithm>

namespace farfield::study {

namespace {

enum class Mark : unsigned char { fresh, open, done };

/// Depth-first search without recursion, because a chain of quantities may be long.
class Sorter {
public:
    Sorter(Study::Body& body, core::Problems& problems) : body_(body), problems_(problems), marks_(body.items.size()) {}

    std::vector<std::size_t> run() {
        for (std::size_t i = 0; i < body_.items.size(); ++i) {
            if (marks_[i] == Mark::fresh) visit(i);
        }
        return order_;
    }

private:
    struct Frame {
        std::size_t item;
        std::size_t next = 0;
    };

    void visit(std::size_t start) {
        stack_ = {{start}};
        marks_[start] = Mark::open;
        while (!stack_.empty()) {
            Frame& top = stack_.back();
            const Item& item = body_.items[top.item];
            if (top.next == item.needs.size()) {
                marks_[top.item] = Mark::done;
                order_.push_back(top.item);
                stack_.pop_back();
                continue;
            }
            const std::string& need = item.needs[top.next++];
            const auto found = body_.index.find(need);
            if (found == body_.index.end()) continue;
            if (marks_[found->second] == Mark::open) report_cycle(found->second);
            if (marks_[found->second] != Mark::fresh) continue;
            marks_[found->second] = Mark::open;
            stack_.push_back({found->second});
        }
    }

    void report_cycle(std::size_t closing) {
        std::string path;
        bool inside = false;
        for (const Frame& frame : stack_) {
            inside = inside || frame.item == closing;
            if (inside) path += body_.items[frame.item].name + " -> ";
        }
        problems_.add(body_.items[closing].place, "quantities need each other: " + path + body_.items[closing].name,
                      "an order in which each can be computed");
    }

    Study::Body& body_;
    core::Problems& problems_;
    std::vector<Mark> marks_;
    std::vector<Frame> stack_;
    std::vector<std::size_t> order_;
};

void index_items(Study::Body& body) {
    body.index.clear();
    for (std::size_t i = 0; i < body.items.size(); ++i) body.index[body.items[i].name] = i;
}

bool contains(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

void order_items(Study::Body& body, core::Problems& problems) {
    index_items(body);
    for (const Item& item : body.items) {
        for (const std::string& need : item.needs) {
            if (!body.index.contains(need))
                problems.add(item.place, "'" + item.name + "' needs '" + need + "', which is not declared");
        }
    }
    const std::vector<std::size_t> order = Sorter(body, problems).run();
    std::vector<Item> sorted;
    sorted.reserve(order.size());
    for (const std::size_t i : order) sorted.push_back(std::move(body.items[i]));
    body.items = std::move(sorted);
    index_items(body);
}

bool is_trained(const Study::Body& body, const std::string& name) {
    const auto found = body.index.find(name);
    return found != body.index.end() && body.items[found->second].is_trained;
}

void mark_trained(Study::Body& body) {
    const auto is_one = [&body](const std::string& need) { return is_trained(body, need); };
    for (Item& item : body.items)
        item.is_trained = item.measured || std::any_of(item.needs.begin(), item.needs.end(), is_one);
}

void mark_waiting(Study::Body& body) {
    const auto pass_on = [&](const std::string& name, std::string& waits_for) {
        const auto found = body.index.find(name);
        if (found != body.index.end() && waits_for.empty()) waits_for = body.items[found->second].waits_for;
    };
    for (Item& item : body.items)
        for (const std::string& need : item.needs) pass_on(need, item.waits_for);
    for (claim::Claim& claim : body.claims)
        for (const std::string& name : claim::quantities_of(claim)) pass_on(name, claim.waits_for);
}

bool asks_for(const Options& options, const std::string& name) {
    return options.only.empty() || contains(options.only, name);
}

bool asks_for(const Options& options, const Item& item) {
    return asks_for(options, item.name) || contains(options.only, item.base);
}

std::vector<bool> wanted_items(const Study::Body& body, const Options& options) {
    std::vector<bool> wanted(body.items.size(), false);
    const auto want = [&](const std::string& name) {
        const auto found = body.index.find(name);
        if (found != body.index.end()) wanted[found->second] = true;
    };
    for (const claim::Claim& claim : body.claims) {
        if (!asks_for(options, claim.id)) continue;
        for (const std::string& name : claim::quantities_of(claim)) want(name);
    }
    if (!options.claims_only) {
        for (std::size_t i = 0; i < body.items.size(); ++i) wanted[i] = wanted[i] || asks_for(options, body.items[i]);
        for (std::size_t i = 0; i < body.figures.size(); ++i) {
            if (!asks_for(options, body.figures[i].name)) continue;
            for (const std::string& name : body.figure_needs[i]) want(name);
        }
    }
    // The items that an item needs come before it.
    for (std::size_t i = body.items.size(); i-- > 0;) {
        if (!wanted[i]) continue;
        for (const std::string& need : body.items[i].needs) want(need);
    }
    return wanted;
}

}  // namespace farfield::study
