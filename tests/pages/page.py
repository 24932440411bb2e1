"""Checks the page over many studies in a browser: it opens without console messages; its filters work with the mouse,
the keyboard and from an address; links lead to their targets; and it can be read without its script and on paper.

Usage: page.py DIRECTORY-WITH-index.html [SCREENSHOT]

Ends with status 77, that of a skipped test, if no browser is installed.
"""
import pathlib
import sys

import browser

COUNTS = """(() => { const all = [...document.querySelectorAll('article[data-claim]')];
  return {all: all.length, shown: all.filter(claim => claim.offsetParent !== null).length,
          status: document.getElementById('shown').textContent}; })()"""


def count(page, condition):
    return page.run(f"[...document.querySelectorAll('article[data-claim]')].filter(claim => {condition}).length")


def check(truth, claim):
    if not truth:
        raise AssertionError(claim)
    print("ok:", claim)


def check_mouse(page):
    before = page.run(COUNTS)
    check(before["all"] > 0 and before["shown"] == before["all"], "all claims are shown at first")
    refuted = count(page, "claim.dataset.verdict === 'refuted'")
    page.click("#filters input[value=refuted]")
    after = page.run(COUNTS)
    check(after["shown"] == refuted, "ticking 'refuted' leaves only the refuted claims")
    check(after["status"] == f"{refuted} of {before['all']} claims shown", "the number is announced to screen readers")
    rows = page.run("[...document.querySelectorAll('tr[data-claim]')].filter(row => row.offsetParent !== null).length")
    check(rows == refuted, "the table shows the same claims")
    page.click("#filters button[type=reset]")
    page.run("new Promise(done => setTimeout(done, 50))")
    check(page.run(COUNTS)["shown"] == before["all"], "'Show all' shows all claims")


def check_keyboard(page):
    page.run("document.querySelector('#filters input[value=confirmed]').focus()")
    page.press(" ", 32, " ")
    confirmed = count(page, "claim.dataset.verdict === 'confirmed'")
    check(page.run(COUNTS)["shown"] == confirmed, "the space bar ticks 'confirmed'")
    page.press("Tab", 9)
    check(page.run("document.activeElement.value") == "consistent", "the tab key goes on to the next box")
    page.press("Tab", 9)
    check(page.run("document.activeElement.matches(':focus-visible')"), "the focus is visible")
    page.run("document.getElementById('filters').reset()")
    page.run("new Promise(done => setTimeout(done, 50))")


def check_words(page):
    first = page.run("document.querySelector('article[data-claim]').dataset.claim")
    page.run("document.querySelector('[name=find]').focus()")
    page.ask("Input.insertText", text=first)
    check(1 <= page.run(COUNTS)["shown"] < max(2, page.run(COUNTS)["all"]), "searching for words leaves the claims that contain them")
    page.run("document.getElementById('filters').reset()")
    page.run("new Promise(done => setTimeout(done, 50))")


def check_links(page, index):
    page.open(index, "#show?verdict=refuted&certified=no")
    wanted = count(page, "claim.dataset.verdict === 'refuted' && claim.dataset.certified === 'no'")
    check(page.run(COUNTS)["shown"] == wanted, "an address carries filters")
    page.open(index)
    page.click("tr[data-claim] a")
    check(page.run("location.hash === '#' + document.querySelector('article:target').id"), "a row leads to its claim")
    hidden = page.run("""(() => { const link = document.querySelector('tr[data-claim] a'); const row = link.closest('tr');
        location.hash = '#show?verdict=' + (row.dataset.verdict === 'missing' ? 'skipped' : 'missing');
        return link.getAttribute('href'); })()""")
    page.run("new Promise(done => setTimeout(done, 50))")
    page.run(f"location.hash = {hidden!r}")
    page.run("new Promise(done => setTimeout(done, 50))")
    check(page.run("document.querySelector('article:target').offsetParent !== null"), "a link to a hidden claim shows it")
    broken = page.run("""[...document.querySelectorAll('a[href^="#"]')].map(link => link.getAttribute('href').slice(1))
        .filter(name => !name.startsWith('show?') && !document.getElementById(decodeURIComponent(name))
                        && !document.getElementById(name))""")
    check(not broken, f"every link within the page has a target {broken[:3]}")
    files = page.run("""[...document.querySelectorAll('a[href]')].map(link => link.getAttribute('href'))
        .filter(name => !name.startsWith('#'))""")
    lost = [name for name in files if not (index.parent / name.replace("%20", " ")).is_file()]
    check(files and not lost, f"every link to a file has a target {lost[:3]}")


def check_structure(page):
    check(page.run("document.documentElement.lang") == "en", "the language is named")
    unnamed = page.run("""[...document.querySelectorAll('#filters input, #filters select')]
        .filter(control => !control.labels.length).length""")
    check(unnamed == 0, "every control has a label")
    twice = page.run("""(() => { const seen = new Set(); return [...document.querySelectorAll('[id]')].map(item => item.id)
        .filter(id => seen.has(id) || !seen.add(id)); })()""")
    check(not twice, f"no id occurs twice {twice[:3]}")
    levels = page.run("[...document.querySelectorAll('h1, h2, h3, h4')].map(heading => +heading.tagName[1])")
    check(levels[0] == 1 and all(b <= a + 1 for a, b in zip(levels, levels[1:])), "headings skip no level")
    wide = page.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    check(wide <= 0, f"nothing is wider than the window ({wide} pixels)")


# Finds elements with text of their own whose contrast with the background is less than 4.5.
PALE = """(() => {
  const parts = text => text.match(/[\\d.]+/g).map(Number);
  const light = rgb => { const [r, g, b] = rgb.map(c => c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = item => { for (let at = item; at; at = at.parentElement) { const c = parts(getComputedStyle(at).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c.slice(0, 3); } return [255, 255, 255]; };
  const pale = [];
  for (const item of document.querySelectorAll('body *')) {
    if (item.closest('svg, script') || ![...item.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue;
    const [a, b] = [light(parts(getComputedStyle(item).color).slice(0, 3)), light(behind(item))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) pale.push(item.tagName + ' ' + item.textContent.slice(0, 30) + ' ' + ratio.toFixed(2));
  }
  return pale; })()"""


def check_widths_and_modes(page, index):
    for width in (375, 800, 1200):
        page.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        page.open(index)
        page.run("for (const part of document.querySelectorAll('details')) part.open = true")
        wide = page.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(wide <= 0, f"at {width} pixels nothing is wider than the window, even with everything unfolded ({wide} pixels)")
        cut = page.run("[...document.querySelectorAll('.index, .matrix')].map(table => table.parentElement).filter("
                       "box => box.scrollWidth > box.clientWidth).map(box => box.textContent.slice(0, 60))")
        check(not cut, f"at {width} pixels tables of claims and verdicts are whole {cut[:3]}")
    for mode in ("light", "dark"):
        page.ask("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": mode}])
        pale = page.run(PALE)
        check(not pale, f"every text has a contrast of 4.5 in {mode} mode {pale[:3]}")
    page.ask("Emulation.setEmulatedMedia", media="", features=[])
    page.ask("Emulation.clearDeviceMetricsOverride")


def check_folds(page, index):
    page.open(index)
    check(page.run("document.querySelectorAll('article details[open]').length") == 0, "claims are folded at first")
    page.click("article[data-claim] summary")
    check(page.run("document.querySelector('article[data-claim] details').open"), "a click unfolds a claim")
    page.open(index, page.run("'#' + document.querySelector('article[data-claim]').id"))
    check(page.run("document.querySelector('article:target details').open"), "a link to a claim unfolds it")
    page.run("document.querySelector('#claims').scrollIntoView(); scrollBy(0, 600)")
    top = page.run("document.getElementById('filters').getBoundingClientRect().top")
    check(0 <= top <= 1, f"the filters stay in view ({top})")
    page.ask("Emulation.setDeviceMetricsOverride", width=375, height=700, deviceScaleFactor=1, mobile=False)
    page.open(index)
    page.run("document.querySelector('#claims').scrollIntoView(); scrollBy(0, 600)")
    place = page.run("(box => ({top: box.top, height: box.height}))(document.getElementById('filters').getBoundingClientRect())")
    check(0 <= place["top"] <= 1 and place["height"] < 90, f"on a small screen they stay in view as one line {place}")
    page.click("#filters summary")
    check(page.run("document.querySelector('#filters button').offsetParent !== null"), "a click unfolds them")
    page.ask("Emulation.clearDeviceMetricsOverride")


def check_colours(page, index):
    page.ask("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    page.open(index)
    wrong = page.run("""[...document.querySelectorAll('figure svg')].filter(picture =>
        (getComputedStyle(picture).filter === 'none') !== (picture.querySelector('image') !== null)).length""")
    check(wrong == 0, "dark mode inverts curves and leaves heat maps as they are")
    page.ask("Emulation.setEmulatedMedia", media="", features=[])
    keys = page.run("""[...document.querySelectorAll('.papers tr')].filter(row =>
        row.querySelectorAll('div.bar > span').length !== row.querySelectorAll('.key').length).length""")
    check(keys == 0, "every part of a bar has its colour beside its number")


def check_paper_and_no_script(page, index):
    page.ask("Emulation.setEmulatedMedia", media="print")
    check(page.run("document.getElementById('filters').offsetParent === null"), "the filters are not printed")
    page.run("dispatchEvent(new Event('beforeprint'))")
    check(page.run("document.querySelectorAll('.claim > details:not([open])').length") == 0, "claims are unfolded on paper")
    page.run("dispatchEvent(new Event('afterprint'))")
    page.ask("Emulation.setEmulatedMedia", media="")
    # The text area is 27.7 cm high. A figure of 9 cm with its caption and heading that does not fit leaves 0.62 of it filled.
    pages = page.printed()
    if pages is None:
        print("poppler is not installed: printed pages were not measured")
    else:
        bare = [(number, round(full, 2)) for number, full in enumerate(pages[:-1], 1) if full < 0.6]
        check(len(pages) > 1 and not bare, f"each printed page but the last is 0.6 full, of {len(pages)} {bare[:3]}")
    page.ask("Emulation.setScriptExecutionDisabled", value=True)
    page.open(index)
    page.ask("Emulation.setScriptExecutionDisabled", value=False)
    check(page.run("document.getElementById('filters').offsetParent === null"), "without the script there are no filters")
    check(page.run(COUNTS)["shown"] == page.run(COUNTS)["all"], "without the script all claims are shown")


def main():
    index = pathlib.Path(sys.argv[1]).resolve() / "index.html"
    if not browser.installed():
        print("no browser is installed")
        return 77
    with browser.Browser() as page:
        page.open(index)
        if len(sys.argv) > 2:
            page.picture(sys.argv[2])
        check_structure(page)
        check_mouse(page)
        check_keyboard(page)
        check_words(page)
        check_links(page, index)
        check_folds(page, index)
        check_colours(page, index)
        check_widths_and_modes(page, index)
        check_paper_and_no_script(page, index)
        check(not page.problems, f"the console is silent {page.problems[:3]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
