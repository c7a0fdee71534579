//! A way to a server on which every piece takes its own time: each is delayed at random, and none overtakes another of
//! its connection.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// The longest delay of a piece.
const MOST_DELAY: Duration = Duration::from_millis(10);

/// Starts a relay to a server, and says where it listens. It ends with the program.
pub(crate) fn start(server: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for (number, inside) in (0..).zip(listener.incoming()) {
            let (Ok(inside), Ok(outside)) = (inside, TcpStream::connect(server)) else { return };
            for (seed, from, to) in [(number * 2, &inside, &outside), (number * 2 + 1, &outside, &inside)] {
                to.set_nodelay(true).unwrap();
                pass(seed, from.try_clone().unwrap(), to.try_clone().unwrap());
            }
        }
    });
    address
}

/// Passes on what comes, each piece after its own delay.
fn pass(seed: u64, mut from: TcpStream, to: TcpStream) {
    let (sender, receiver) = channel();
    thread::spawn(move || deliver(&receiver, to));
    thread::spawn(move || {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut bytes = [0; 64 * 1024];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            let due = Instant::now() + MOST_DELAY.mul_f64(random.random());
            if hand_over(&sender, due, &bytes[..count]).is_err() {
                return;
            }
        }
    });
}

type Piece = (Instant, Vec<u8>);

fn hand_over(sender: &Sender<Piece>, due: Instant, bytes: &[u8]) -> Result<(), std::sync::mpsc::SendError<Piece>> {
    sender.send((due, bytes.to_vec()))
}

fn deliver(pieces: &Receiver<Piece>, mut to: TcpStream) {
    for (due, bytes) in pieces {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        if to.write_all(&bytes).is_err() {
            return;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
