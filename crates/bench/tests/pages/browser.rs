//! A headless Chromium, spoken to over its debugging pipe: JSON messages that end with a zero byte, on file descriptors 3
//! and 4. That needs no WebDriver, no HTTP and no further crate, and sees every request and every word on the console.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A browser that has not answered for so long has hung.
const PATIENCE: Duration = Duration::from_mins(2);

const FLAGS: &[&str] = &[
    "--headless",
    // A container has no unprivileged namespaces to make a sandbox of, and the pages are our own.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
];

/// One browser with one page.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    next: u64,
    session: Option<String>,
    events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    pub fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "exec chromium \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null", "sh"]).args(FLAGS);
        command.arg(format!("--user-data-dir={}", profile.path().display())).arg("about:blank");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("sh");
        let (to, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, from) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                if sender.send(serde_json::from_slice(&message).unwrap()).is_err() {
                    break;
                }
            }
        });
        let (session, events) = (None, Vec::new());
        let mut browser = Self { child, to, from, next: 0, session, events, _profile: profile };
        let page = browser.ask("Target.createTarget", &json!({"url": "about:blank"}))["targetId"].clone();
        let session = browser.ask("Target.attachToTarget", &json!({"targetId": page, "flatten": true}));
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.ask(&format!("{domain}.enable"), &json!({}));
        }
        browser
    }

    /// Asks for something and waits for the answer; what else is said meanwhile is kept.
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).expect("chromium, from Debian's package of that name");
        loop {
            let answer = self.hear();
            if answer["id"] == json!(self.next) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    fn hear(&self) -> Value {
        self.from.recv_timeout(PATIENCE).expect("chromium answers; is it installed?")
    }

    /// Opens a file and waits until all of it is there.
    pub fn open(&mut self, file: &Path) {
        // Away first: the page before could be the same file.
        self.go("about:blank");
        self.events.clear();
        self.go(&format!("file://{}", file.canonicalize().unwrap().display()));
    }

    fn go(&mut self, url: &str) {
        let begun = Instant::now();
        self.ask("Page.navigate", &json!({"url": url}));
        let there = format!("document.readyState === 'complete' && location.href === {}", json!(url));
        while self.eval(&there) != true {
            assert!(begun.elapsed() < PATIENCE, "{url} is not there");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// A screen of this size, in CSS pixels.
    pub fn screen(&mut self, width: u32, height: u32) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.ask("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// `light` or `dark`, on a `screen` or in `print`.
    pub fn media(&mut self, medium: &str, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.ask("Emulation.setEmulatedMedia", &json!({"media": medium, "features": features}));
    }

    /// What an expression is on the page, once it is there.
    pub fn eval(&mut self, expression: &str) -> Value {
        let ask = json!({"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true});
        let answer = self.ask("Runtime.evaluate", &ask);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Errors and warnings since the page was opened: on the console, thrown, or noticed by the browser.
    pub fn complaints(&self) -> Vec<String> {
        let loud = |kind: &Value| kind == "error" || kind == "warning";
        let is_complaint = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => loud(&event["params"]["type"]),
            Some("Log.entryAdded") => loud(&event["params"]["entry"]["level"]),
            _ => false,
        };
        self.events.iter().filter(is_complaint).map(|event| event["params"].to_string()).collect()
    }

    /// Everything that was asked for since the page was opened, beside the page itself and what it carries within.
    pub fn requests(&self) -> Vec<String> {
        let sent = self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        let urls =
            sent.filter(|event| event["params"]["type"] != "Document").map(|event| &event["params"]["request"]["url"]);
        urls.map(|url| url.as_str().unwrap().to_owned()).filter(|url| !url.starts_with("data:")).collect()
    }

    /// The whole page as a picture, for people to look at, if `HELLO_BENCH_SCREENSHOTS` names a folder.
    pub fn picture(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("HELLO_BENCH_SCREENSHOTS") else { return };
        let shot = self.ask("Page.captureScreenshot", &json!({"format": "png", "captureBeyondViewport": true}));
        let file = Path::new(&folder).join(format!("{name}.png"));
        std::fs::write(file, base64(shot["data"].as_str().unwrap())).unwrap();
    }
}

/// The bytes of a text in base64, as the browser writes pictures.
fn base64(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|c| *c != b'=').collect();
    let group = |four: &[u8]| {
        let bits = four.iter().fold(0, |bits, c| bits << 6 | value(*c)) << (6 * (4 - four.len()));
        bits.to_be_bytes()[1..four.len()].to_vec()
    };
    digits.chunks(4).flat_map(group).collect()
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
