"""A headless Chromium, spoken to over the pipe of its debugging protocol: no driver, no package, no port."""

import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

ANSWER_SECONDS = 60
NAMES = ("chromium", "chromium-browser", "google-chrome")


class Failure(Exception):
    """The browser cannot be had, or does not answer."""


def find() -> str:
    """The browser of the system; on a fresh machine of Debian's kind it is installed first."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    if not shutil.which("apt-get") or os.geteuid() != 0:
        raise Failure("there is no Chromium, and it cannot be installed here")
    for command in (["apt-get", "update", "-qq"],
                    ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-liberation",
                     "fonts-dejavu-core"]):
        done = subprocess.run(command, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return shutil.which("chromium") or NAMES[0]


class Browser:
    """One browser process."""

    def __init__(self, profile: str):
        to_browser, self.writer = os.pipe()
        self.reader, from_browser = os.pipe()
        command = [find(), "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
                   "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
                   "--hide-scrollbars", "--force-color-profile=srgb", f"--user-data-dir={profile}"]
        # As root, its sandbox cannot be had; what is loaded is our own file.
        if os.geteuid() == 0:
            command.append("--no-sandbox")
        # The protocol wants the ends of the pipes at 3 and 4.
        shell = 'exec "$@" 3<&"$READ_END" 4>&"$WRITE_END"'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "browser", *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, pass_fds=(to_browser, from_browser),
            env=os.environ | {"READ_END": str(to_browser), "WRITE_END": str(from_browser), "HOME": profile})
        os.close(to_browser)
        os.close(from_browser)
        self.number = 0
        self.buffer = b""
        self.events: list[dict] = []

    def close(self) -> None:
        with contextlib.suppress(Failure, OSError):
            self.call("Browser.close")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.writer)
        os.close(self.reader)

    def call(self, method: str, session: str | None = None, **parameters) -> dict:
        """Sends a command and waits for its answer. Events that come before it are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.writer, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < until:
            told = self.receive(until - time.monotonic())
            if told is None:
                break
            if told.get("id") == self.number:
                if "error" in told:
                    raise Failure(f"{method}: {told['error']['message']}")
                return told["result"]
            self.events.append(told)
        raise Failure(f"{method}: no answer from the browser")

    def receive(self, seconds: float) -> dict | None:
        """The next message; nothing where none comes in time."""
        until = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.reader], [], [], max(0.0, until - time.monotonic()))
            part = os.read(self.reader, 1 << 20) if ready else b""
            if not part:
                return None
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)


@contextlib.contextmanager
def browser():
    """A browser that runs as long as the block does."""
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as profile:
        running = Browser(profile)
        try:
            yield running
        finally:
            running.close()


class Page:
    """One page, and everything that it complained of or asked for."""

    def __init__(self, browser: Browser, width: int = 1280, height: int = 900, scheme: str = "light"):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def call(self, method: str, **parameters) -> dict:
        return self.browser.call(method, self.session, **parameters)

    def load(self, file: Path) -> float:
        """Loads a file, and gives the seconds until it is laid out and painted."""
        began = time.monotonic()
        self.call("Page.navigate", url=file.resolve().as_uri())
        self.value("new Promise(done => { const painted = () => requestAnimationFrame(() => setTimeout(done, 0));"
                   " document.readyState === 'complete' ? painted() : addEventListener('load', painted) })")
        return time.monotonic() - began

    def value(self, expression: str):
        """The value of an expression of the page's language, once it has settled."""
        told = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in told:
            raise Failure(f"{expression}: {told['exceptionDetails'].get('exception', {}).get('description')}")
        return told["result"].get("value")

    def click(self, selector: str) -> None:
        """Clicks in the middle of an element, as a mouse does."""
        place = self.value("(element => { element.scrollIntoView({block: 'center'}); const box = element.getBoundingClientRect();"
                           f" return [box.x + Math.min(box.width / 2, 60), box.y + box.height / 2] }})(document.querySelector({json.dumps(selector)}))")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def press(self, key: str) -> None:
        """Presses a key, as a keyboard does."""
        more = {"text": "\r", "windowsVirtualKeyCode": 13} if key == "Enter" else {"windowsVirtualKeyCode": 9}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, **more)

    def complaints(self) -> list[str]:
        """Errors and warnings of the page, and requests to anywhere but the file itself."""
        self.call("Runtime.evaluate", expression="0")
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            told = event.get("params", {})
            match event["method"]:
                case "Runtime.exceptionThrown":
                    found.append(f"exception: {told['exceptionDetails']['text']}")
                case "Runtime.consoleAPICalled" if told["type"] in ("error", "warning", "assert"):
                    found.append(f"console: {told['args']}")
                case "Log.entryAdded" if told["entry"]["level"] in ("error", "warning"):
                    found.append(f"log: {told['entry']['text']}")
                case "Network.requestWillBeSent":
                    if not told["request"]["url"].startswith(("file:", "data:")):
                        found.append(f"request: {told['request']['url']}")
        return found

    def close(self) -> None:
        self.browser.call("Target.closeTarget", targetId=self.target)
