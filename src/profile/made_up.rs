//! Values for the environment variables of a profile that nobody needs to set: for a mock, which takes any.

use std::collections::BTreeMap;

use super::Profile;
use super::sites::sites;
use super::template::Parsed;

/// What a made-up value may begin with. The first that the profile does not refuse as a credential is taken.
const BEGINNINGS: [&str; 4] = ["mock", "sham", "made-up", "0"];

impl Profile {
    /// A made-up value for every variable that the profile names without a default. Two variables never have the same value,
    /// so two accounts stay two; and none begins as a credential that the profile refuses.
    pub fn made_up_values(&self) -> BTreeMap<String, String> {
        let mut values = BTreeMap::new();
        for site in sites(self).into_iter().filter(|site| !site.purpose.is_of_mock()) {
            let Ok(parsed) = Parsed::parse(site.text) else { continue };
            for (name, _) in parsed.variables().filter(|(_, fallback)| fallback.is_none()) {
                values.insert(name.to_owned(), self.made_up(name));
            }
        }
        values
    }

    fn made_up(&self, variable: &str) -> String {
        let is_refused = |word: &str| {
            let refused = self.target.refuse_credentials.iter();
            refused.filter(|prefix| !prefix.is_empty()).any(|prefix| format!("{word}-").starts_with(prefix.as_str()))
        };
        let beginning = BEGINNINGS.into_iter().find(|word| !is_refused(word)).unwrap_or(BEGINNINGS[0]);
        // Upper and lower case make two variables, so the name stays as it is.
        format!("{beginning}-{variable}")
    }
}

#[cfg(test)]
mod tests {
    use crate::profile::{BindOptions, Bound, parse};

    #[test]
    fn every_variable_has_a_value_of_its_own_that_the_profile_takes() {
        let text = "profile: t\ntitle: T\ntarget:\n  environment: sandbox\n  base_url: 'https://${HOST}'\n  auth: {bearer: \
                    '${TOKEN}'}\n  accounts: {other: {bearer: '${OTHER}'}}\n  refuse_credentials: [live_, mo]\noperation:\n  \
                    request: {method: POST, path: /things, headers: {Version: '${VERSION:-7}'}, json: {reference: \
                    '{{marker}}'}}\n  identity: {json: $.id}\n  effects: identity\ncontract: {}\n";
        let profile = parse("t.yaml", text).unwrap().profile;
        let values = profile.made_up_values();
        let named: Vec<&str> = values.keys().map(String::as_str).collect();
        assert_eq!(named, ["HOST", "OTHER", "TOKEN"], "what has a default keeps it");
        assert_eq!(values["TOKEN"], "sham-TOKEN");
        assert_ne!(values["TOKEN"], values["OTHER"]);
        let options = BindOptions { base_url: Some("http://127.0.0.1:1"), ..BindOptions::default() };
        let bound = Bound::new(profile, &|name| values.get(name).cloned(), &options).unwrap();
        assert!(bound.unavailable().is_empty());
    }
}
