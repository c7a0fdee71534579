//! Several pieces of work at the same time.

use std::future::Future;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Works on all items, on so many of them at a time. The results come in the order of the items.
pub(super) async fn side_by_side<I, O, W>(items: Vec<I>, jobs: usize, work: impl Fn(I) -> W) -> Vec<O>
where
    O: Send + 'static,
    W: Future<Output = O> + Send + 'static,
{
    let places = Arc::new(Semaphore::new(jobs));
    let mut running = JoinSet::new();
    for (number, item) in items.into_iter().enumerate() {
        let (places, one) = (Arc::clone(&places), work(item));
        running.spawn(async move {
            // The semaphore is never closed, so there is always a place in the end.
            let _place = places.acquire().await;
            (number, one.await)
        });
    }
    let mut results = running.join_all().await;
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}
