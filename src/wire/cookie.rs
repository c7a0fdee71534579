//! Cookies that a server hands out: who has one is let in, so its value is written down nowhere.

/// The fields that set cookies, in lower case.
const SETTING: [&str; 2] = ["set-cookie", "set-cookie2"];

/// How many digits of a digest tell one value from another.
const DIGITS: usize = 16;

/// The value of a field as it may be written down. That of a cookie becomes its digest, so that it can still be seen whether
/// two answers set the same.
pub(super) fn hidden(name: &str, value: String) -> String {
    if !SETTING.iter().any(|setting| setting.eq_ignore_ascii_case(name)) {
        return value;
    }
    let (pair, attributes) = value.split_once(';').map_or((value.as_str(), None), |(pair, rest)| (pair, Some(rest)));
    let (cookie, secret) = pair.split_once('=').unwrap_or(("", pair));
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, secret.as_bytes());
    let digits: String = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let attributes = attributes.map(|rest| format!(";{rest}")).unwrap_or_default();
    format!("{cookie}=${{cookie {}}}{attributes}", &digits[..DIGITS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_known_again_and_not_shown() {
        let shown = |value: &str| hidden("Set-Cookie", value.to_owned());
        assert_eq!(shown("id=s3cret; Path=/"), shown("id=s3cret; Path=/"));
        assert_ne!(shown("id=s3cret"), shown("id=other"));
        assert!(
            shown("id=s3cret; Path=/").starts_with("id=${cookie ") && shown("id=s3cret; Path=/").ends_with("}; Path=/")
        );
        assert!(!shown("id=s3cret").contains("s3cret") && !shown("s3cret").contains("s3cret"));
        assert_eq!(hidden("Location", "/a=b".to_owned()), "/a=b");
    }
}
