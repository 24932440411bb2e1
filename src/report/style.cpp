#include "report/style.hpp"

namespace farfield::report {
namespace {

constexpr std::string_view css = R"css(
:root { color-scheme: light; --paper: #fff; --ink: #1b1f24; --soft: #57606a; --line: #d5dae0; --pale: #f5f7f9; --link: #0b5cad;
  --good: #00543c; --good-back: #e3f5ee; --bad: #8a2f00; --bad-back: #fdebe0; --split: #6b3157; --split-back: #f8eaf3;
  --open: #574400; --open-back: #fbf4d6; --part: #0b3f6b; --part-back: #e6f1fb; --none: #40474f; --none-back: #eceff2;
  --good-bar: #2a9d78; --bad-bar: #d55e00; --split-bar: #b5649a; --open-bar: #c9a21a; --part-bar: #4a90cf; --none-bar: #9aa4af; }
* { box-sizing: border-box; }
html { scroll-padding-top: 12rem; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1.25rem 4rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.55 "DejaVu Sans", Verdana, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.02rem; margin: 0; }
p { margin: .4rem 0; max-width: 60rem; }
a { color: var(--link); }
a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, summary:focus-visible,
[tabindex]:focus-visible { outline: 3px solid #d55e00; outline-offset: 2px; }
code, pre, .number { font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .88em; }
code { overflow-wrap: anywhere; }
pre { background: var(--pale); border: 1px solid var(--line); border-radius: 4px; padding: .5rem .7rem; margin: .4rem 0;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.scroll { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .3rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
thead th { border-bottom: 2px solid #8c959f; white-space: nowrap; }
td.count, th.count { text-align: right; font-variant-numeric: tabular-nums; }
.matrix { width: auto; }
.matrix thead th { white-space: normal; }
.badge { display: inline-block; white-space: nowrap; padding: 0 .5rem; border: 1px solid; border-radius: 1rem;
  font-size: .86rem; font-weight: 600; }
.confirmed, .reproduced { color: var(--good); background: var(--good-back); }
.refuted, .not-reproduced { color: var(--bad); background: var(--bad-back); }
.depends, .mixed { color: var(--split); background: var(--split-back); }
.undecided, .inconclusive { color: var(--open); background: var(--open-back); }
.consistent { color: var(--part); background: var(--part-back); }
.missing, .skipped { color: var(--none); background: var(--none-back); }
.bar { display: flex; height: .9rem; min-width: 8rem; border-radius: .2rem; overflow: hidden; background: var(--none-back); }
.bar span { border-right: 1px solid var(--paper); border-radius: 0; }
.bar .confirmed, .bar .reproduced { background: var(--good-bar); }
.bar .refuted, .bar .not-reproduced { background: var(--bad-bar); }
.bar .depends, .bar .mixed { background: var(--split-bar); }
.bar .undecided, .bar .inconclusive { background: var(--open-bar); }
.bar .consistent { background: var(--part-bar); }
.bar .missing, .bar .skipped { background: var(--none-bar); }
.bar .reproduced, .bar .not-reproduced, .bar .mixed, .bar .inconclusive, .bar .skipped {
  background-image: repeating-linear-gradient(45deg, transparent 0 3px, rgb(255 255 255 / .5) 3px 6px); }
.bar.key { display: inline-flex; width: .9rem; min-width: 0; margin-right: .3rem; vertical-align: -.1rem; }
.verdicts { white-space: nowrap; }
.papers td:nth-child(2) { width: 40%; vertical-align: middle; }
.thumbs { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .8rem; margin: .8rem 0; }
.thumbs a { display: block; font-size: .82rem; color: var(--soft); text-decoration: none; border: 1px solid var(--line);
  border-radius: 4px; padding: .3rem; overflow-wrap: anywhere; }
.thumbs svg { width: 100%; height: auto; display: block; background: #fff; }
.mark { font-size: .86rem; }
.unexpected { color: #a40e26; font-weight: 700; }
.claim { border: 1px solid var(--line); border-radius: 6px; padding: .5rem .9rem; margin: .6rem 0; }
.claim:target { border-color: var(--link); box-shadow: 0 0 0 2px var(--link); }
summary { cursor: pointer; }
.claim > details > summary { display: flex; flex-wrap: wrap; gap: .2rem .8rem; align-items: baseline; }
.claim > details > summary::before { content: "\25b8"; color: var(--soft); }
.claim > details[open] > summary::before { content: "\25be"; }
.claim > details > summary::-webkit-details-marker { display: none; }
.says { flex: 1 1 24rem; min-width: 0; overflow-wrap: anywhere; }
.index td { overflow-wrap: anywhere; }
.index td:first-child { min-width: 5rem; }
.claim td:first-child { min-width: 8rem; }
.claim td:nth-child(4) { min-width: 9rem; }
.numbers { width: auto; font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .86em; font-variant-numeric: tabular-nums; }
.numbers th { font-weight: 400; padding: 0 1rem 0 0; border: 0; white-space: nowrap; }
.claim .numbers td, .numbers td { padding: 0; border: 0; min-width: 0; white-space: nowrap; }
.numbers .whole { text-align: right; }
.numbers .soft { padding-left: 1rem; white-space: normal; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .5rem 0 0; font-size: .92rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.facts .scroll { margin: 0; }
figure { margin: 1rem 0 1.6rem; }
figure .picture { overflow-x: auto; }
figure svg { width: 100%; min-width: 40rem; max-width: 55rem; height: auto; display: block; }
figcaption { color: var(--soft); font-size: .92rem; }
math { font-size: 1.1rem; }
.filters { background: var(--pale); border: 1px solid var(--line); border-radius: 6px; padding: .5rem .8rem; margin: 1rem 0;
  position: sticky; top: 0; z-index: 1; max-height: 100vh; overflow-y: auto; }
.filters .controls { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; align-items: end; padding-top: .3rem; }
#shown { margin-left: .8rem; color: var(--soft); }
.filters[hidden], [hidden] { display: none !important; }
fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem .9rem; }
legend { padding: 0; font-size: .86rem; color: var(--soft); }
.filters label { white-space: nowrap; }
.filters .field { display: flex; flex-direction: column; font-size: .86rem; color: var(--soft); }
select, input[type=search], button { font: inherit; font-size: .95rem; color: var(--ink); padding: .2rem .5rem;
  border: 1px solid #8c959f; border-radius: 4px; background: var(--paper); max-width: 100%; }
.skip { position: absolute; left: -100rem; }
.skip:focus { position: static; }
@media (max-width: 40rem) {
  html { scroll-padding-top: 4rem; }
  body { padding: 1rem .75rem 3rem; }
  .filters .field, select { width: 100%; }
  .facts { grid-template-columns: 1fr; gap: 0; }
  .facts dt { margin-top: .4rem; }
  .matrix { font-size: .7rem; }
  .matrix th, .matrix td { padding: .3rem .1rem; }
  .matrix td.count + td.count { padding-left: .5rem; }
  .matrix .badge { font-size: .68rem; padding: 0 .25rem; }
  table.index, table.index caption, table.index tbody, table.index tr, table.index td { display: block; }
  table.index thead { display: none; }
  table.index tr { border-bottom: 1px solid var(--line); padding: .4rem 0; }
  table.index td { display: inline-block; border: 0; padding: .1rem .5rem .1rem 0; min-width: 0; max-width: 100%; }
  table.record td:nth-child(4):not(:has(.unexpected)) { display: none; }
  table.papers td:nth-child(2) { display: block; width: 100%; }
  figure svg { min-width: 34rem; }
}
@media screen and (prefers-color-scheme: dark) {
  :root { color-scheme: dark; --paper: #13171b; --ink: #e6e9ed; --soft: #9aa4af; --line: #3a424b; --pale: #1d2228; --link: #6cb2ff;
    --good: #7fdcb8; --good-back: #10302a; --bad: #ffb38a; --bad-back: #3a1d0e; --split: #eab0d3; --split-back: #35202d;
    --open: #ecd27a; --open-back: #332b0d; --part: #9cccf7; --part-back: #14293c; --none: #c2c9d1; --none-back: #2a3037; }
  .unexpected { color: #ff8a96; }
  figure svg, .thumbs svg { filter: invert(1) hue-rotate(180deg); }
  figure svg:has(image), .thumbs svg.own-colours { filter: none; background: #fff; }
}
@media print {
  html { scroll-padding-top: 0; }
  body { max-width: none; padding: 0; font-size: 9.5pt; }
  .filters, .skip, nav { display: none !important; }
  .thumbs { grid-template-columns: repeat(5, 1fr); }
  .thumbs a { break-inside: avoid; font-size: 7pt; }
  .mark, .numbers, code { font-size: inherit; }
  figure, tr, .claim > details > summary { break-inside: avoid; }
  .claim .index tr { break-inside: auto; }
  figure svg { max-height: 9cm; width: auto; min-width: 0; max-width: 100%; }
  h2, h3, summary { break-after: avoid; }
  .claim { padding: .3rem .5rem; margin: .4rem 0; }
  .scroll { overflow: visible; }
  a { color: inherit; text-decoration: none; }
  table { font-size: 8pt; }
  th, td { padding: .15rem .3rem; }
  thead th { white-space: normal; }
  .badge { background: none; border: 0; padding: 0; font-size: inherit; white-space: normal; overflow-wrap: normal; }
  .bar { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

}  // namespace

std::string_view page_style() {
    return css;
}

}  // namespace farfield::report
