"""The search of the documentation site works from the disk, on pages with file:// addresses and without a network.

Usage: search.py SITE, the folder that `mkdocs build` has written.
"""
import pathlib
import sys

from browser import Browser, installed

RESULTS = "document.querySelectorAll('.md-search-result__item > a')"
# Words that a reader types, and a page whose title or text has these words, which must be among the results.
SEARCHES = {
    "kerple": "schemes/kerple-log.html",
    "soundness": "soundness.html",
    "debian package": "install.html",
    "gradient-field": "quantities/gradient-field.html",
}


def search(browser, page, words):
    """The addresses of the results for the words, typed on a page."""
    browser.open(page)
    browser.wait("document.querySelector('[data-md-component=search-query]') !== null")
    browser.run(f"""(() => {{ const field = document.querySelector('[data-md-component=search-query]');
        field.focus(); field.value = {words!r}; field.dispatchEvent(new Event('keyup', {{bubbles: true}})); }})()""")
    browser.wait(f"{RESULTS}.length > 0")
    return browser.run(f"[...{RESULTS}].map(link => link.href)")


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    if not installed():
        print("no browser is installed: skipped")
        return 77
    problems = []
    with Browser() as browser:
        # From the first page, and from a page in a folder.
        for start in ("index.html", "schemes/alibi.html"):
            for words, wanted in SEARCHES.items():
                found = search(browser, site / start, words)
                pages = {address.split("#")[0].split("?")[0] for address in found}
                if (site / wanted).as_uri() not in pages:
                    problems.append(f"{start}: '{words}' does not find {wanted}, but {sorted(pages)}")
        search(browser, site / "index.html", "kerple")
        browser.run(f"{RESULTS}[0].click()")
        browser.wait("location.pathname.includes('kerple') && document.querySelector('.md-content h1') !== null")
        problems += browser.problems
    print(*problems, sep="\n")
    print(f"{2 * len(SEARCHES)} searches from the disk, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
