"""Every page that `farfield report` writes from results/ opens in a browser with all its figures, and makes no network
requests.

Usage: pages.py PROGRAM RESULTS
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PAGES_AT_ONCE = 12  # since a start of the browser takes longer than a page
# Runs in a page after loading, and sends its result to the page that frames it.
PROBE = """<script>addEventListener('load', () => {
  const figures = [...document.querySelectorAll('figure')];
  const empty = figures.filter(figure => !figure.querySelector('svg :is(path, polyline, line, rect)')).map(figure => figure.id);
  const lost = [...document.querySelectorAll('use')].map(use => use.getAttribute('href') || use.getAttribute('xlink:href'))
    .filter(name => !document.getElementById(name.slice(1)));
  const unread = [...document.images].filter(image => !image.naturalWidth).map(image => image.getAttribute('src'));
  parent.postMessage(%d + ' figures ' + figures.length + ' broken ' + [...empty, ...lost, ...unread].join(' '), '*');
});</script>"""
# Its results are read from the printed document.
FRAMES = """<!doctype html><script>addEventListener('message', event => {
  const result = document.body.appendChild(document.createElement('p'));
  result.textContent = 'probed ' + event.data + ' end';
});</script><body>%s</body>"""
FROM_THE_NETWORK = re.compile(r"""<(?:img|script|link|iframe|image)\b[^>]*\b(?:src|href)\s*=\s*["']?(?:https?:)?//[^>]*>""")


def probed(pages, place):
    """For each page, the number of figures and the problem found by the probe in a copy of it that uses its folder."""
    frames = []
    for index, page in enumerate(pages):
        copy = pathlib.Path(place) / f"page{index}.html"
        base = f'<base href="{page.parent.resolve().as_uri()}/">'
        copy.write_text(page.read_text().replace("<head>", f"<head>{base}", 1) + PROBE % index)
        frames.append(f'<iframe width="1000" height="800" src="{copy.as_uri()}"></iframe>')
    whole = pathlib.Path(place) / "frames.html"
    whole.write_text(FRAMES % "".join(frames))
    done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
                           f"--user-data-dir={place}/profile", "--virtual-time-budget=60000", "--dump-dom", whole.as_uri()],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    results = {int(index): (int(figures), f"these figures are not drawn: {broken}" if broken else "")
               for index, figures, broken in re.findall(r"probed (\d+) figures (\d+) broken (.*?) end", done.stdout)}
    missing = (0, "the page did not finish loading: " + done.stderr[-500:])
    return [results.get(index, missing) for index in range(len(pages))]


def problems_of(pages):
    """The number of pages with a problem. Pages of one browser profile are loaded a few at once."""
    count = 0
    with tempfile.TemporaryDirectory() as place:
        for first in range(0, len(pages), PAGES_AT_ONCE):
            some = pages[first:first + PAGES_AT_ONCE]
            for page, (figures, problem) in zip(some, probed(some, place)):
                outside = FROM_THE_NETWORK.search(page.read_text())
                if outside:
                    problem += f" asks the network: {outside[0]}"
                print(f"{page}: {figures} figures{': ' if problem else ''}{problem}", flush=True)
                count += bool(problem)
    return count


def made_pages(program, results, place):
    """The pages that the program writes for a copy of the results' numbers and figures."""
    copy = pathlib.Path(place) / "results"
    for file in [*results.rglob("results.json"), *results.rglob("*.svg")]:
        target = copy / file.relative_to(results)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    subprocess.run([program, "report", str(copy)], check=True, stdout=subprocess.DEVNULL)
    return sorted(copy.rglob("*.html"))


def main():
    workers = os.cpu_count()
    with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor(workers) as pool:
        pages = made_pages(sys.argv[1], pathlib.Path(sys.argv[2]), place)
        failed = sum(pool.map(lambda first: problems_of(pages[first::workers]), range(workers)))
    print(f"{len(pages)} pages, {failed} with a problem")
    return 1 if failed or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
