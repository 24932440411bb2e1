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

# Runs in the page after loading. Its result is read from the printed document.
PROBE = """<script>addEventListener('load', () => {
  const broken = [...document.images].filter(image => !image.naturalWidth).map(image => image.getAttribute('src'));
  document.documentElement.dataset.probed = 'images ' + document.images.length + ' broken ' + broken.join(' ');
});</script>"""
FROM_THE_NETWORK = re.compile(r"""<(?:img|script|link|iframe|image)\b[^>]*\b(?:src|href)\s*=\s*["']?(?:https?:)?//[^>]*>""")


def probed(page, place):
    """The number of figures, and the problem found by the probe in a copy of the page that uses the page's folder."""
    copy = pathlib.Path(place) / "page.html"
    base = f'<base href="{page.parent.resolve().as_uri()}/">'
    copy.write_text(page.read_text().replace("<head>", f"<head>{base}", 1) + PROBE)
    done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
                           f"--user-data-dir={place}/profile", "--virtual-time-budget=10000", "--dump-dom", copy.as_uri()],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    found = re.search(r'data-probed="images (\d+) broken ([^"]*)"', done.stdout)
    if not found:
        return 0, "the page did not finish loading: " + done.stderr[-500:]
    return int(found[1]), f"these figures do not load: {found[2]}" if found[2] else ""


def problems_of(pages):
    """(figures, problem) of each page, one after another in one browser profile."""
    with tempfile.TemporaryDirectory() as place:
        for page in pages:
            images, problem = probed(page, place)
            outside = FROM_THE_NETWORK.search(page.read_text())
            if outside:
                problem += f" asks the network: {outside[0]}"
            print(f"{page}: {images} figures{': ' if problem else ''}{problem}", flush=True)
            yield bool(problem)


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
        failed = sum(pool.map(lambda first: sum(problems_of(pages[first::workers])), range(workers)))
    print(f"{len(pages)} pages, {failed} with a problem")
    return 1 if failed or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
