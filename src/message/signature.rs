//! AWS Signature Version 4: what of a request is signed, and how.
//!
//! Both sides use it: who sends a request, over what it is about to send, and the reference target, over what has arrived.
//! What keeps them from making the same mistake is AWS's own test suite, whose vectors stand below.

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::hmac;

/// The name of the algorithm, with which the credentials begin.
pub const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// What a scope ends with.
const SCOPE_END: &str = "aws4_request";

/// The one service whose paths are signed as they are sent. All others have theirs encoded once more.
const PLAIN_PATHS: &str = "s3";

/// A request, as far as it is signed.
#[derive(Clone, Copy, Debug)]
pub struct Signable<'r> {
    /// The request method.
    pub method: &'r str,
    /// The request target in origin form, as it is sent.
    pub target: &'r str,
    /// The header fields that are signed: names and values. Fields of one name stand in their order.
    pub headers: &'r [(String, String)],
    /// The content; empty where there is none.
    pub content: &'r [u8],
}

/// Where and when a signature counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SigningScope<'s> {
    /// The moment, as `20150830T123600Z`.
    pub time: &'s str,
    /// The region, for example `us-east-1`.
    pub region: &'s str,
    /// The service, for example `ec2`.
    pub service: &'s str,
}

impl SigningScope<'_> {
    /// The day.
    fn date(&self) -> &str {
        self.time.get(..8).unwrap_or(self.time)
    }

    /// How it is written beside the access key.
    pub fn written(&self) -> String {
        format!("{}/{}/{}/{SCOPE_END}", self.date(), self.region, self.service)
    }

    /// Signs a request: 64 hexadecimal digits.
    pub fn sign(&self, secret_access_key: &str, request: &Signable<'_>) -> String {
        let canonical = request.canonical(self.service);
        let hash = hexadecimal(digest(&SHA256, canonical.as_bytes()).as_ref());
        let to_sign = format!("{ALGORITHM}\n{}\n{}\n{hash}", self.time, self.written());
        hexadecimal(&signed(&self.key(secret_access_key), &to_sign))
    }

    /// The key of a day, a region and a service.
    fn key(&self, secret_access_key: &str) -> Vec<u8> {
        let begin = format!("AWS4{secret_access_key}").into_bytes();
        [self.date(), self.region, self.service, SCOPE_END].into_iter().fold(begin, |key, part| signed(&key, part))
    }
}

impl Signable<'_> {
    /// The names of the signed fields, as they are written beside the signature.
    pub fn signed_names(&self) -> String {
        let mut names: Vec<String> = self.headers.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
        names.sort();
        names.dedup();
        names.join(";")
    }

    /// The request in the form that is the same for everything that means the same.
    fn canonical(&self, service: &str) -> String {
        let (path, query) = self.target.split_once('?').unwrap_or((self.target, ""));
        let fields: String =
            self.signed_names().split(';').map(|name| format!("{name}:{}\n", self.values(name))).collect();
        format!(
            "{}\n{}\n{}\n{fields}\n{}\n{}",
            self.method,
            canonical_path(path, service),
            canonical_query(query),
            self.signed_names(),
            hexadecimal(digest(&SHA256, self.content).as_ref()),
        )
    }

    /// The values of a field, with every run of blanks as one.
    fn values(&self, name: &str) -> String {
        let of_name = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        let values: Vec<String> =
            of_name.map(|(_, value)| value.split_ascii_whitespace().collect::<Vec<_>>().join(" ")).collect();
        values.join(",")
    }
}

/// The path without detours, encoded once more than it is sent.
fn canonical_path(path: &str, service: &str) -> String {
    if service == PLAIN_PATHS {
        return path.to_owned();
    }
    let mut segments = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            other => segments.push(encoded(other)),
        }
    }
    let ends_open = !segments.is_empty() && (path.ends_with('/') || path.ends_with("/."));
    format!("/{}{}", segments.join("/"), if ends_open { "/" } else { "" })
}

/// The parameters in the order of their bytes, each encoded in the one way that counts.
fn canonical_query(query: &str) -> String {
    let decoded = |text: &str| percent_encoding::percent_decode_str(text).collect::<Vec<u8>>();
    let again = |text: &str| percent_encoding::percent_encode(&decoded(text), RESERVED).to_string();
    let mut pairs: Vec<(String, String)> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (again(name), again(value)))
        .collect();
    pairs.sort();
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

/// Everything but what RFC 3986 calls unreserved.
const RESERVED: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, RESERVED).to_string()
}

fn signed(key: &[u8], text: &str) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes()).as_ref().to_vec()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The credentials, the moment and the place of AWS's test suite for this signature.
    const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
    const SUITE: SigningScope<'_> = SigningScope { time: "20150830T123600Z", region: "us-east-1", service: "service" };
    const TOKEN: &str = "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSP\
                         fIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7\
                         WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8\
                         FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

    fn signature(method: &str, target: &str, more: &[(&str, &str)], content: &str) -> (String, String) {
        let usual = [("Host", "example.amazonaws.com"), ("X-Amz-Date", SUITE.time)];
        let headers: Vec<(String, String)> =
            usual.iter().chain(more).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let request = Signable { method, target, headers: &headers, content: content.as_bytes() };
        (request.signed_names(), SUITE.sign(SECRET, &request))
    }

    #[test]
    fn the_published_vectors_are_signed_as_published() {
        let form = [("Content-Type", "application/x-www-form-urlencoded")];
        let trimmed = [("My-Header1", " value1"), ("My-Header2", "\"a   b   c\"")];
        for (vector, method, target, headers, content, expected) in [
            (
                "get-vanilla",
                "GET",
                "/",
                &[][..],
                "",
                "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
            ),
            ("post-vanilla", "POST", "/", &[], "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
            (
                "get-vanilla-query-order-key-case",
                "GET",
                "/?Param2=value2&Param1=value1",
                &[],
                "",
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
            ),
            (
                "get-vanilla-utf8-query",
                "GET",
                "/?%E1%88%B4=bar",
                &[],
                "",
                "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
            ),
            (
                "get-unreserved",
                "GET",
                "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
                &[],
                "",
                "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
            ),
            (
                "get-utf8",
                "GET",
                "/\u{1234}",
                &[],
                "",
                "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
            ),
            ("get-slashes", "GET", "//./", &[], "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
            (
                "get-header-value-trim",
                "GET",
                "/",
                &trimmed,
                "",
                "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
            ),
            (
                "post-header-key-sort",
                "POST",
                "/",
                &[("My-Header1", "value1")],
                "",
                "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
            ),
            (
                "post-x-www-form-urlencoded",
                "POST",
                "/",
                &form,
                "Param1=value1",
                "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
            ),
            (
                "post-sts-header-before",
                "POST",
                "/",
                &[("X-Amz-Security-Token", TOKEN)],
                "",
                "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
            ),
        ] {
            assert_eq!(signature(method, target, headers, content).1, expected, "{vector}");
        }
        assert_eq!(signature("POST", "/", &form, "").0, "content-type;host;x-amz-date");
    }

    #[test]
    fn the_example_of_the_documentation_is_signed_as_documented() {
        let iam = SigningScope { service: "iam", ..SUITE };
        assert_eq!(hexadecimal(&iam.key(SECRET)), "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9");
        let headers = [
            ("content-type", "application/x-www-form-urlencoded; charset=utf-8"),
            ("host", "iam.amazonaws.com"),
            ("x-amz-date", SUITE.time),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let target = "/?Action=ListUsers&Version=2010-05-08";
        let request = Signable { method: "GET", target, headers: &headers, content: b"" };
        assert_eq!(iam.sign(SECRET, &request), "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
        assert_eq!(iam.written(), "20150830/us-east-1/iam/aws4_request");
    }

    #[test]
    fn a_path_is_encoded_once_more_than_it_is_sent_except_for_the_service_that_does_not() {
        assert_eq!(canonical_path("/a%20b/../c//d/", "ec2"), "/c/d/");
        assert_eq!(canonical_path("/a%20b", "ec2"), "/a%2520b");
        assert_eq!(canonical_path("/a%20b//c", "s3"), "/a%20b//c");
        assert_eq!(canonical_query("b=%7e&a=1+1&c"), "a=1%2B1&b=~&c=");
    }
}
