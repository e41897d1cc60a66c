"""Checks the built site: `./dev docs --check`.

Every link leads to a file and an anchor of the site, nothing is loaded from elsewhere, and no page is wider than the
window, at 1300 and 400 pixels, in a headless Chromium.
"""

import json
import os
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

HTML = Path(__file__).resolve().parents[2] / "build/docs/html"
WIDTHS = (1300, 400)
CHROMIUM = "chromium"


class Page(HTMLParser):
    """The links, the anchors and what a page loads."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links, self.loads, self.anchors = [], [], {""}
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors.update(given[key] for key in ("id", "name") if given.get(key))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in ("script", "img", "iframe") and given.get("src"):
            self.loads.append(given["src"])
        if tag == "link" and given.get("href") and given.get("rel") not in ("canonical",):
            self.loads.append(given["href"])


def link_errors(pages):
    for file, page in pages.items():
        for target in page.loads + page.links:
            parts = urlsplit(target)
            if parts.scheme in ("http", "https", "mailto", "data") or parts.netloc:
                if target in page.loads and parts.scheme != "data":
                    yield f"{file.relative_to(HTML)}: loads {target}; expected files of the site alone"
                continue
            to = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not to.is_file():
                yield f"{file.relative_to(HTML)}: {target} leads nowhere"
            elif to in pages and unquote(parts.fragment) not in pages[to].anchors:
                yield f"{file.relative_to(HTML)}: {target} names no anchor"


class Browser:
    """A headless Chromium that is driven through a pipe."""

    def __init__(self, profile: str) -> None:
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()

        def as_3_and_4():
            os.dup2(to_browser, 103), os.dup2(from_browser, 104)
            os.dup2(103, 3), os.dup2(104, 4)

        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={profile}"]
        self._process = subprocess.Popen(
            [CHROMIUM, *arguments, "about:blank"], preexec_fn=as_3_and_4, close_fds=False, stderr=subprocess.DEVNULL
        )
        self._number, self._left, self._session = 0, b"", None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in targets if one["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        self.call("Page.enable")

    def _message(self):
        while b"\0" not in self._left:
            got = os.read(self._read, 1 << 16)
            if not got:
                raise RuntimeError("chromium has ended")
            self._left += got
        message, self._left = self._left.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, file: Path) -> None:
        self.call("Page.navigate", url=file.as_uri())
        while self._message().get("method") != "Page.loadEventFired":
            pass

    def width(self, window: int) -> int:
        self.call("Emulation.setDeviceMetricsOverride", width=window, height=900, deviceScaleFactor=1, mobile=False)
        found = self.call("Runtime.evaluate", expression="document.documentElement.scrollWidth")
        return int(found["result"]["value"])

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()


def width_errors(files):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            for file in files:
                browser.open(file)
                for window in WIDTHS:
                    if (width := browser.width(window)) > window:
                        yield f"{file.relative_to(HTML)}: is {width} pixels wide in a window of {window}"
        finally:
            browser.close()


def main() -> None:
    pages = {file: Page(file) for file in sorted(HTML.rglob("*.html"))}
    if len(pages) < 20:
        sys.exit(f"{HTML} has {len(pages)} pages; expected ./dev docs before")
    errors = [*link_errors(pages), *width_errors(pages)]
    print("\n".join(errors) or f"{len(pages)} pages: links lead somewhere, nothing is loaded from elsewhere, no page overflows at {WIDTHS}")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
