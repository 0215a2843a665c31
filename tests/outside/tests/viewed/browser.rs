//! Chromium without a window, over the pipe of its DevTools protocol: messages of JSON, each ended by a
//! zero.
//!
//! # Reference
//! <https://chromedevtools.github.io/devtools-protocol/>; the pipe is `--remote-debugging-pipe`.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// An answer takes no longer than this, on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_mins(1);
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
const FLAGS: [&str; 12] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
    "--window-size=1200,800",
];

/// A browser with one tab.
pub(crate) struct Browser {
    process: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: String,
    sent: u64,
    /// Events since the page was opened.
    events: Vec<Value>,
}

/// The browser of this machine, if it has one.
fn found() -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&folders).collect();
    NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}

impl Browser {
    /// Starts one with a new profile; none where there is no browser.
    pub(crate) fn start(profile: &Path) -> Option<Self> {
        // The pipe has the streams three and four, which the shell makes of the standard ones.
        let mut process = Command::new("sh")
            .args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null"#])
            .arg(found()?)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = process.stdin.take().unwrap();
        let mut answers = BufReader::new(process.stdout.take().unwrap());
        let (tell, from) = channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            while answers.read_until(0, &mut bytes).is_ok_and(|count| count > 0) {
                let message = serde_json::from_slice(&bytes[..bytes.len() - 1]).unwrap();
                if tell.send(message).is_err() {
                    return;
                }
                bytes.clear();
            }
        });
        let mut browser = Self { process, to, from, session: String::new(), sent: 0, events: Vec::new() };
        let target = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", &attach);
        attached["sessionId"].as_str().unwrap().clone_into(&mut browser.session);
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        Some(browser)
    }

    /// Sends a command, and waits for its answer.
    pub(crate) fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        let mut bytes = serde_json::to_vec(&message).unwrap();
        bytes.push(0);
        self.to.write_all(&bytes).unwrap();
        loop {
            let answer = self.from.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {method}"));
            if answer["id"] == self.sent {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// Goes to a page.
    pub(crate) fn navigate(&mut self, url: &str) {
        self.events.clear();
        self.call("Page.navigate", &json!({ "url": url }));
    }

    /// Opens a page, and waits until its script has begun; it stands still then.
    pub(crate) fn open(&mut self, url: &str) {
        self.navigate(url);
        self.wait("document.readyState === 'complete' && location.href.startsWith('file:')");
        self.complain(url);
        // A page that has loaded shows its motion: programs that print it wait for no more.
        assert!(self.evaluate("window.leastAction !== undefined") == true, "{url}");
        self.evaluate("leastAction.player.pause()");
        // Once more after the first frame, which draws.
        self.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))",
        );
        self.complain(url);
    }

    /// Opens a report, and waits until the page of its motion has begun.
    pub(crate) fn open_report(&mut self, url: &str) {
        self.navigate(url);
        self.wait("document.readyState === 'complete' && location.href.startsWith('file:')");
        self.evaluate("document.querySelector('iframe').scrollIntoView()");
        self.wait("document.querySelector('iframe').contentWindow.leastAction !== undefined");
        self.complain(url);
    }

    /// Opens a page of two motions, and waits until both have begun.
    pub(crate) fn open_pair(&mut self, url: &str) {
        self.navigate(url);
        self.wait("document.readyState === 'complete' && location.href.startsWith('file:')");
        self.wait("[...document.querySelectorAll('iframe')].filter((frame) => frame.contentWindow.leastAction).length === 2");
        self.complain(url);
    }

    /// Fails for errors of the page, and for requests beside the request for the page itself.
    pub(crate) fn complain(&self, url: &str) {
        for event in &self.events {
            let parameters = &event["params"];
            let is_fault = match event["method"].as_str().unwrap_or_default() {
                "Runtime.exceptionThrown" => true,
                "Runtime.consoleAPICalled" => parameters["type"] != "log",
                "Log.entryAdded" => parameters["entry"]["level"] == "error",
                "Network.requestWillBeSent" => {
                    let asked = parameters["request"]["url"].as_str().unwrap_or_default();
                    Some(asked) != url.split('#').next()
                        && asked != "about:srcdoc"
                        && !asked.contains("/least-action-live-")
                        && !asked.starts_with("data:")
                        && !asked.starts_with("blob:")
                }
                _ => false,
            };
            assert!(!is_fault, "{url}: {event}");
        }
    }

    /// The value of an expression of the page; a promise is waited for.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", &parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    pub(crate) fn number(&mut self, expression: &str) -> f64 {
        self.evaluate(expression).as_f64().unwrap_or(f64::NAN)
    }

    /// Waits until an expression is true.
    pub(crate) fn wait(&mut self, expression: &str) {
        let begin = Instant::now();
        while self.evaluate(expression) != true {
            assert!(begin.elapsed() < PATIENCE, "waited in vain for {expression}: {:?}", self.events);
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Presses and releases a key.
    pub(crate) fn key(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", &json!({ "type": kind, "key": key }));
        }
    }

    /// Moves a pressed mouse.
    pub(crate) fn drag(&mut self, from: [f64; 2], to: [f64; 2]) {
        let steps = [("mousePressed", from, 1), ("mouseMoved", to, 1), ("mouseReleased", to, 0)];
        for (kind, [x, y], buttons) in steps {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", &event);
        }
    }

    /// Makes the window so large.
    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &size);
        self.wait(&format!("window.innerWidth === {width} && window.innerHeight === {height}"));
        self.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))",
        );
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
