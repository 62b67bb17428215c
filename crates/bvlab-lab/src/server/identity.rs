//! Who asks: the lecturer, a student, or someone who has not joined.
//!
//! An address proves nothing: behind a forwarded port or a proxy everybody comes from the same one.
//! The lecturer is therefore whoever has the lecturer's key, which is random, new for every lab, and
//! part of the address that `bvlab lab` opens. If the lab has a code, students exchange it for the
//! class's key; wrong codes are limited for each network, keys are too long to be guessed.
//!
//! Addresses serve only to share the lab fairly, by [`network`].

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, HeaderName};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq;

use crate::limits::Limits;

/// The header that a page sends its key in. Pages of other sites cannot set it without being asked
/// for permission first, and a proxy's own passwords use another one.
pub const KEY: HeaderName = HeaderName::from_static("x-bvlab-key");
/// The header in which a proxy names the address it forwards for.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Letters and digits that are not mistaken for each other.
const ALPHABET: &[u8; 31] = b"23456789ABCDEFGHJKMNPQRSTUVWXYZ";
/// How many of them a generated code has: 31⁶ is about 9 · 10⁸ codes.
const GENERATED: usize = 6;
/// The fewest and the most letters and digits of a code that is given.
const LENGTHS: std::ops::RangeInclusive<usize> = 4..=64;

/// How many wrong codes a network may try at once, and how long it takes to earn one more try.
const TRIES: f64 = 20.0;
const NEXT_TRY: Duration = Duration::from_secs(2);
/// The most networks whose wrong codes are counted.
const MOST_COUNTED: usize = 10_000;

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Client {
    /// Where from, by [`network`].
    pub address: IpAddr,
    /// Whether it is the lecturer.
    pub lecturer: bool,
}

impl Client {
    /// A student at an address.
    pub fn at(address: IpAddr) -> Self {
        Client {
            address: network(address),
            lecturer: false,
        }
    }

    /// The lecturer at an address.
    pub fn lecturer_at(address: IpAddr) -> Self {
        Client {
            lecturer: true,
            ..Client::at(address)
        }
    }

    /// The limits of its requests.
    pub fn limits(&self) -> &'static Limits {
        match self.lecturer {
            true => &Limits::LECTURER,
            false => &Limits::STUDENT,
        }
    }
}

/// What an address is counted by: an IPv4 address by itself, also where it is written as IPv6, and an
/// IPv6 address by its first 64 bits, because one machine can have all addresses that share them.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address,
    }
}

/// The address that a request comes from: that of the connection or, if this is the proxy's, the last
/// one in the last `X-Forwarded-For`, which is the one that the proxy itself has added. Everything
/// before it is whatever the client claims.
pub fn origin(peer: IpAddr, proxy: Option<IpAddr>, headers: &HeaderMap) -> IpAddr {
    let is_proxy = proxy.is_some_and(|proxy| proxy.to_canonical() == peer.to_canonical());
    if !is_proxy {
        return peer;
    }
    let last = headers.get_all(FORWARDED_FOR).iter().next_back();
    let last = last.and_then(|value| value.to_str().ok()?.rsplit(',').next());
    let last = last.map_or("", str::trim);
    let with_port = || last.parse::<SocketAddr>().map(|address| address.ip());
    last.parse::<IpAddr>()
        .or_else(|_| with_port())
        .unwrap_or(peer)
}

/// 128 random bits, in characters that a URL can hold.
struct AccessKey(String);

impl AccessKey {
    fn new() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(AccessKey(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Compares in a time that does not depend on where they differ.
    fn is(&self, given: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(given).into()
    }
}

/// The keys and the code that give access to the lab.
pub struct Access {
    lecturer: AccessKey,
    class: Option<Class>,
}

/// The code of a class, and the key that students get for it.
struct Class {
    code: String,
    key: AccessKey,
    tries: Mutex<HashMap<IpAddr, CodeAttempts>>,
}

/// How many wrong codes a network may still try, as of some moment.
struct CodeAttempts {
    left: f64,
    at: Instant,
}

/// Why a student cannot join.
#[derive(Debug, PartialEq)]
pub enum JoinError {
    /// The lab has no code.
    NoCode,
    /// The code is wrong.
    Wrong,
    /// The network has tried too many wrong codes.
    TooMany,
}

/// Why access cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The code has too few or too many letters and digits.
    #[error(
        "a code needs {} to {} letters and digits; `{code}` has {length}",
        LENGTHS.start(),
        LENGTHS.end()
    )]
    Code {
        /// What was given.
        code: String,
        /// How many letters and digits it has.
        length: usize,
    },
    /// The system has no random numbers.
    #[error("the operating system provides no random numbers: {0}")]
    Random(getrandom::Error),
}

impl From<getrandom::Error> for AccessError {
    fn from(error: getrandom::Error) -> Self {
        AccessError::Random(error)
    }
}

impl Access {
    /// Access for all students.
    ///
    /// # Errors
    ///
    /// If the system gives no random numbers.
    pub fn open() -> Result<Self, AccessError> {
        Ok(Access {
            lecturer: AccessKey::new()?,
            class: None,
        })
    }

    /// Access for students who know a code; an empty one is replaced by a random one.
    ///
    /// # Errors
    ///
    /// If the code has too few or too many letters, or the system gives no random numbers.
    pub fn with_code(code: &str) -> Result<Self, AccessError> {
        let plain = match code.is_empty() {
            true => random_code()?,
            false => plain(code),
        };
        let length = plain.chars().count();
        if !LENGTHS.contains(&length) {
            let code = code.to_owned();
            return Err(AccessError::Code { code, length });
        }
        let class = Class {
            code: plain,
            key: AccessKey::new()?,
            tries: Mutex::default(),
        };
        Ok(Access {
            class: Some(class),
            ..Access::open()?
        })
    }

    /// The lecturer's key.
    pub fn lecturer_key(&self) -> &str {
        &self.lecturer.0
    }

    /// The code that students join with.
    pub fn code(&self) -> Option<&str> {
        self.class.as_ref().map(|class| class.code.as_str())
    }

    /// Who asks from an address; `None` if they have not joined.
    pub fn client(&self, address: IpAddr, headers: &HeaderMap) -> Option<Client> {
        let given = headers.get(KEY).map_or(&b""[..], |key| key.as_bytes());
        if self.lecturer.is(given) {
            return Some(Client::lecturer_at(address));
        }
        let joined = self.class.as_ref().is_none_or(|class| class.key.is(given));
        joined.then(|| Client::at(address))
    }

    /// The key for a code.
    ///
    /// # Errors
    ///
    /// If the code is wrong, or the network has tried too many wrong ones: then a right one is
    /// refused too, or guessing would go on.
    pub fn join(&self, address: IpAddr, code: &str) -> Result<&str, JoinError> {
        let class = self.class.as_ref().ok_or(JoinError::NoCode)?;
        let right: bool = class.code.as_bytes().ct_eq(plain(code).as_bytes()).into();
        let mut all = class
            .tries
            .lock()
            .unwrap_or_else(|poison| poison.into_inner());
        let now = Instant::now();
        if all.len() >= MOST_COUNTED {
            all.retain(|_, tries| tries.at_moment(now) < TRIES);
        }
        if all.len() >= MOST_COUNTED {
            all.clear();
        }
        let tries = all.entry(network(address)).or_insert(CodeAttempts {
            left: TRIES,
            at: now,
        });
        tries.left = tries.at_moment(now);
        tries.at = now;
        match right {
            _ if tries.left < 1.0 => Err(JoinError::TooMany),
            true => Ok(&class.key.0),
            false => {
                tries.left -= 1.0;
                Err(JoinError::Wrong)
            }
        }
    }
}

impl CodeAttempts {
    fn at_moment(&self, now: Instant) -> f64 {
        let passed = now.saturating_duration_since(self.at);
        let earned = passed.as_secs_f64() / NEXT_TRY.as_secs_f64();
        (self.left + earned).min(TRIES)
    }
}

/// A code as it is compared: letters and digits, without case.
fn plain(code: &str) -> String {
    let letters = code.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_uppercase).collect()
}

fn random_code() -> Result<String, getrandom::Error> {
    let mut code = String::new();
    while code.len() < GENERATED {
        let mut byte = [0];
        getrandom::fill(&mut byte)?;
        // Five bits, without the one value that has no letter: all letters are equally likely.
        if let Some(letter) = ALPHABET.get(usize::from(byte[0] & 31)) {
            code.push(char::from(*letter));
        }
    }
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn ipv6_is_counted_by_its_first_64_bits() {
        assert_eq!(network(ip("192.0.2.7")), ip("192.0.2.7"));
        assert_eq!(network(ip("::ffff:192.0.2.7")), ip("192.0.2.7"));
        let one = network(ip("2001:db8:1:2:3:4:5:6"));
        assert_eq!(one, network(ip("2001:db8:1:2:ffff::1")));
        assert_ne!(one, network(ip("2001:db8:1:3:3:4:5:6")));
    }

    #[test]
    fn only_the_proxy_is_believed_and_only_its_own_word() {
        let proxy = Some(ip("127.0.0.1"));
        let headers = |lines: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(FORWARDED_FOR, HeaderValue::from_static(line));
            }
            headers
        };
        let from = |peer: &str, lines: &[&'static str]| origin(ip(peer), proxy, &headers(lines));
        assert_eq!(from("127.0.0.1", &["192.0.2.7"]), ip("192.0.2.7"));
        // What the client has claimed comes before what the proxy adds.
        let claimed = ["203.0.113.1", "127.0.0.1, 198.51.100.2,192.0.2.7"];
        assert_eq!(from("127.0.0.1", &claimed), ip("192.0.2.7"));
        assert_eq!(from("::ffff:127.0.0.1", &["192.0.2.7"]), ip("192.0.2.7"));
        assert_eq!(from("127.0.0.1", &["[2001:db8::1]:99"]), ip("2001:db8::1"));
        for nothing in [&[][..], &[""], &["192.0.2.7, "], &["unknown"]] {
            assert_eq!(from("127.0.0.1", nothing), ip("127.0.0.1"));
        }
        assert_eq!(from("127.0.0.2", &["192.0.2.7"]), ip("127.0.0.2"));
        assert_eq!(
            origin(ip("127.0.0.1"), None, &headers(&["192.0.2.7"])),
            ip("127.0.0.1")
        );
    }

    #[test]
    fn the_lecturer_is_whoever_has_the_key() {
        let access = Access::open().unwrap();
        let who = |key: Option<&str>| {
            let mut headers = HeaderMap::new();
            if let Some(key) = key {
                headers.insert(KEY, key.parse().unwrap());
            }
            access.client(ip("127.0.0.1"), &headers).unwrap().lecturer
        };
        let key = access.lecturer_key();
        assert_eq!(key.len(), 22);
        assert!(who(Some(key)));
        assert!(!who(None) && !who(Some("")) && !who(Some(&key[1..])));
        let other = Access::open().unwrap();
        assert!(!who(Some(other.lecturer_key())));
    }

    #[test]
    fn a_code_is_exchanged_for_a_key_and_wrong_ones_are_limited() {
        let access = Access::with_code("wi-fi 7").unwrap();
        assert_eq!(access.code(), Some("WIFI7"));
        let nobody = HeaderMap::new();
        assert_eq!(access.client(ip("192.0.2.1"), &nobody), None);
        let key = access.join(ip("192.0.2.1"), " WiFi-7").unwrap().to_owned();
        let mut headers = HeaderMap::new();
        headers.insert(KEY, key.parse().unwrap());
        let student = access.client(ip("192.0.2.1"), &headers).unwrap();
        assert!(!student.lecturer);
        let guesses = (0..10 * TRIES as usize).map(|_| access.join(ip("2001:db8::1"), "guess"));
        let outcomes: Vec<_> = guesses.collect();
        assert_eq!(outcomes[0], Err(JoinError::Wrong));
        assert!(outcomes.contains(&Err(JoinError::TooMany)));
        // Its whole network is out, even with the right one; others and those that joined are not.
        let again = access.join(ip("2001:db8::2"), "wifi7");
        assert_eq!(again, Err(JoinError::TooMany));
        assert!(access.join(ip("2001:db8:0:1::1"), "wifi7").is_ok());
        assert!(access.client(ip("2001:db8::2"), &headers).is_some());
    }

    #[test]
    fn codes_can_be_typed() {
        let access = Access::with_code("").unwrap();
        let code = access.code().unwrap();
        assert_eq!(code.len(), GENERATED);
        assert!(code.bytes().all(|letter| ALPHABET.contains(&letter)));
        for wrong in ["abc", "- - - -", &"a".repeat(65)] {
            assert!(Access::with_code(wrong).is_err(), "{wrong}");
        }
        let open = Access::open().unwrap();
        assert_eq!(open.join(ip("192.0.2.1"), "x"), Err(JoinError::NoCode));
    }
}
