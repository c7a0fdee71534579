//! How connections come about: to which endpoint, and by which settings.

use super::endpoint::Endpoint;

/// Opens connections to one endpoint, always by the same settings.
#[derive(Clone, Debug)]
pub struct Connector {
    endpoint: Endpoint,
}

impl Connector {
    /// Connects to an endpoint by the usual settings.
    pub fn new(endpoint: Endpoint) -> Self {
        Self { endpoint }
    }

    /// Where the connections lead.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }
}
