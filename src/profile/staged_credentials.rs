//! Credentials as a mock of a profile takes them: tokens are the mock's own, and no program is started for one.

use serde_json::{Value, json};

/// Lets every account of a profile get its credentials from the mock: a token endpoint elsewhere becomes a path of it, and
/// in place of what a program prints there is a token that stands there.
pub(super) fn stage(document: &mut Value) {
    let Some(target) = document.get_mut("target") else { return };
    if let Some(auth) = target.get_mut("auth") {
        stage_one("default", auth);
    }
    for (name, auth) in target.get_mut("accounts").and_then(Value::as_object_mut).into_iter().flatten() {
        stage_one(name, auth);
    }
}

fn stage_one(account: &str, auth: &mut Value) {
    if auth.get("command").is_some() {
        *auth = json!({"bearer": format!("mock-token-of-{account}")});
    }
    let token_url = auth.pointer_mut("/oauth2/token_url");
    if let Some(token_url) = token_url
        && let Some(path) = token_url.as_str().and_then(path)
    {
        *token_url = Value::from(path);
    }
}

/// The path of a URL that leads elsewhere; variables may stand in it.
fn path(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    Some(rest.find('/').map_or_else(|| "/".to_owned(), |at| rest[at..].to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_asked_elsewhere() {
        let oauth2 = json!({"oauth2": {"token_url": "https://login.example.com/${TENANT}/token"}});
        let command = json!({"command": {"run": ["print-it"]}});
        let mut document =
            json!({"target": {"auth": oauth2, "accounts": {"other": command, "third": {"bearer": "x"}}}});
        stage(&mut document);
        assert_eq!(document["target"]["auth"]["oauth2"]["token_url"], "/${TENANT}/token");
        assert_eq!(document["target"]["accounts"]["other"], json!({"bearer": "mock-token-of-other"}));
        assert_eq!(document["target"]["accounts"]["third"], json!({"bearer": "x"}));
    }
}
