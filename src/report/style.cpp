#include "report/style.hpp"

namespace farfield::report {
namespace {

constexpr std::string_view css = R"css(
:root { color-scheme: light; --ink: #1b1f24; --soft: #57606a; --line: #d5dae0; --pale: #f5f7f9; --link: #0b5cad; }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1.25rem 4rem; color: var(--ink); background: #fff;
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
.badge { display: inline-block; white-space: nowrap; padding: 0 .5rem; border: 1px solid; border-radius: 1rem;
  font-size: .86rem; font-weight: 600; }
.confirmed, .reproduced { color: #00543c; background: #e3f5ee; }
.refuted, .not-reproduced { color: #8a2f00; background: #fdebe0; }
.depends, .mixed { color: #6b3157; background: #f8eaf3; }
.undecided, .inconclusive { color: #574400; background: #fbf4d6; }
.consistent { color: #0b3f6b; background: #e6f1fb; }
.missing, .skipped { color: #40474f; background: #eceff2; }
.mark { white-space: nowrap; font-size: .86rem; }
.unexpected { color: #a40e26; font-weight: 700; }
.claim { border: 1px solid var(--line); border-radius: 6px; padding: .9rem 1.1rem; margin: 1rem 0; }
.claim:target { border-color: #0b5cad; box-shadow: 0 0 0 2px #0b5cad; }
.claim header { display: flex; flex-wrap: wrap; gap: .3rem .8rem; align-items: baseline; }
.claim td:first-child { min-width: 12rem; }
.claim td:nth-child(4) { min-width: 14rem; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .5rem 0 0; font-size: .92rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 1rem 0 1.6rem; }
figure .picture { overflow-x: auto; }
figure svg { width: 100%; min-width: 40rem; max-width: 55rem; height: auto; display: block; }
figcaption { color: var(--soft); font-size: .92rem; }
math { font-size: 1.1rem; }
.filters { background: var(--pale); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; margin: 1rem 0;
  display: flex; flex-wrap: wrap; gap: .7rem 1.6rem; align-items: end; }
.filters[hidden], [hidden] { display: none !important; }
fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem .9rem; }
legend { padding: 0; font-size: .86rem; color: var(--soft); }
.filters label { white-space: nowrap; }
.filters .field { display: flex; flex-direction: column; font-size: .86rem; color: var(--soft); }
select, input[type=search], button { font: inherit; font-size: .95rem; color: var(--ink); padding: .2rem .5rem;
  border: 1px solid #8c959f; border-radius: 4px; background: #fff; max-width: 100%; }
.skip { position: absolute; left: -100rem; }
.skip:focus { position: static; }
@media screen and (prefers-color-scheme: dark) {
  :root { color-scheme: dark; --ink: #e6e9ed; --soft: #9aa4af; --line: #3a424b; --pale: #1d2228; --link: #6cb2ff; }
  body, select, input[type=search], button { background: #13171b; }
  .unexpected { color: #ff8a96; }
  figure svg { filter: invert(1) hue-rotate(180deg); }
}
@media print {
  body { max-width: none; padding: 0; font-size: 9.5pt; }
  .filters, .skip, nav { display: none !important; }
  .claim, figure, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .scroll { overflow: visible; }
  a { color: inherit; text-decoration: none; }
  .badge { background: none; }
}
)css";

}  // namespace

std::string_view page_style() {
    return css;
}

}  // namespace farfield::report
