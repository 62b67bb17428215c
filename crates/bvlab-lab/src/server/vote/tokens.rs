//! Tokens: what an answer belongs to. A token is no name: it says only that two answers come from the
//! same browser.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The most tokens of a lab.
const MOST: usize = 20_000;
/// The most tokens of a network, how many it can have at once, and how long it takes to earn one more: a
/// class behind one address joins at once. Who has too many gets a new one in place of that which was
/// not used for longest.
const MOST_OF_NETWORK: usize = 2_000;
const AT_ONCE: f64 = 400.0;
const NEXT_TOKEN: Duration = Duration::from_secs(2);
/// How many answers a token can send at once, and how long it takes to earn one more.
const ANSWERS: f64 = 20.0;
const NEXT_ANSWER: Duration = Duration::from_millis(500);

/// 128 random bits.
pub type TokenBits = [u8; 16];

/// Something that can be done so often at once, and then every so often.
struct Allowance {
    left: f64,
    at: Instant,
}

impl Allowance {
    fn new(most: f64) -> Self {
        Allowance {
            left: most,
            at: Instant::now(),
        }
    }

    /// Takes one, if there is one.
    fn take(&mut self, most: f64, next: Duration, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at);
        let earned = passed.as_secs_f64() / next.as_secs_f64();
        (self.left, self.at) = ((self.left + earned).min(most), now);
        let may = self.left >= 1.0;
        if may {
            self.left -= 1.0;
        }
        may
    }
}

/// Why there is no token, or no answer.
#[derive(Debug, PartialEq)]
pub enum TokenError {
    /// The network, or the lab, has had too many; or the token has sent too many answers.
    TooMany(&'static str),
    /// The operating system provides no random numbers.
    Random,
}

/// A token that was issued.
struct KnownToken {
    network: IpAddr,
    answers: Allowance,
}

/// All tokens of a lab.
#[derive(Default)]
pub struct Tokens {
    known: HashMap<TokenBits, KnownToken>,
    /// By network: how many it has, and how many it may have now.
    networks: HashMap<IpAddr, (usize, Allowance)>,
}

impl Tokens {
    /// A new token. `kept` are those that must not be taken from whoever has them.
    pub fn issue(
        &mut self,
        network: IpAddr,
        kept: impl Fn(&TokenBits) -> bool,
    ) -> Result<String, TokenError> {
        let fresh = || (0, Allowance::new(AT_ONCE));
        let (count, allowance) = self.networks.entry(network).or_insert_with(fresh);
        if !allowance.take(AT_ONCE, NEXT_TOKEN, Instant::now()) {
            let message =
                "too many tokens for your network: wait a few seconds, or use the one you have";
            return Err(TokenError::TooMany(message));
        }
        let full = *count >= MOST_OF_NETWORK;
        if full || self.known.len() >= MOST {
            self.make_room(full.then_some(network), kept)?;
        }
        let mut bits = TokenBits::default();
        getrandom::fill(&mut bits).map_err(|_| TokenError::Random)?;
        self.networks.entry(network).or_insert_with(fresh).0 += 1;
        let answers = Allowance::new(ANSWERS);
        self.known.insert(bits, KnownToken { network, answers });
        Ok(URL_SAFE_NO_PAD.encode(bits))
    }

    /// Forgets the token that was not used for longest, of a network, or else of the one that has most.
    fn make_room(
        &mut self,
        network: Option<IpAddr>,
        kept: impl Fn(&TokenBits) -> bool,
    ) -> Result<(), TokenError> {
        let most = || {
            let all = self.networks.iter();
            all.max_by_key(|(_, (count, _))| *count)
                .map(|(network, _)| *network)
        };
        let from = network.or_else(most);
        let idle = self.known.iter();
        let idle = idle.filter(|(bits, known)| Some(known.network) == from && !kept(bits));
        let oldest = idle.min_by_key(|(_, known)| known.answers.at);
        let Some((bits, network)) = oldest.map(|(bits, known)| (*bits, known.network)) else {
            let message = "there are as many answers as the lab can hold: try the next question";
            return Err(TokenError::TooMany(message));
        };
        self.known.remove(&bits);
        if let Some((count, _)) = self.networks.get_mut(&network) {
            *count -= 1;
            if *count == 0 {
                self.networks.remove(&network);
            }
        }
        Ok(())
    }

    /// The token that a text stands for, if it is one of this lab.
    pub fn find(&self, text: &str) -> Option<TokenBits> {
        // 16 bytes are 22 characters; nothing longer is looked at.
        let bytes = (text.len() == 22).then(|| URL_SAFE_NO_PAD.decode(text).ok())??;
        let bits = TokenBits::try_from(bytes).ok()?;
        self.known.contains_key(&bits).then_some(bits)
    }

    /// Counts an answer of a token.
    pub fn may_answer(&mut self, token: &TokenBits) -> Result<(), TokenError> {
        let now = Instant::now();
        let known = self.known.get_mut(token);
        match known.is_some_and(|own| own.answers.take(ANSWERS, NEXT_ANSWER, now)) {
            true => Ok(()),
            false => Err(TokenError::TooMany(
                "too many answers with this token: wait a second and try again",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_limited_by_network_and_answers_by_token() {
        let mut tokens = Tokens::default();
        let (one, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let issued: Vec<_> = (0..AT_ONCE as usize + 20)
            .map(|_| tokens.issue(one, |_| false))
            .collect();
        assert!(issued[..AT_ONCE as usize].iter().all(Result::is_ok));
        assert!(matches!(issued.last(), Some(Err(TokenError::TooMany(_)))));
        let token = tokens.issue(other, |_| false).unwrap();
        assert_eq!(token.len(), 22);
        let bits = tokens.find(&token).unwrap();
        let answers = (0..100).map(|_| tokens.may_answer(&bits));
        let taken = answers.filter(Result::is_ok).count();
        assert!((20..25).contains(&taken), "{taken}");
        // Nothing is remembered of a token that is not known.
        for wrong in [
            "",
            "x",
            &"A".repeat(22),
            &"A".repeat(100_000),
            &token[1..],
            "!!!!!!!!!!!!!!!!!!!!!!",
        ] {
            assert_eq!(tokens.find(wrong), None, "{wrong}");
        }
        assert!(tokens.may_answer(&TokenBits::default()).is_err());
        assert_eq!(tokens.known.len(), AT_ONCE as usize + 1);
    }

    #[test]
    fn where_there_is_no_room_the_token_that_was_used_least_goes() {
        let mut tokens = Tokens::default();
        let crowd = IpAddr::from([10, 0, 0, 1]);
        let now = Instant::now();
        let issue = |tokens: &mut Tokens, kept: &TokenBits| {
            // As if two seconds had passed.
            tokens
                .networks
                .entry(crowd)
                .or_insert_with(|| (0, Allowance::new(1.0)))
                .1
                .left = 1.0;
            let token = tokens.issue(crowd, |bits| bits == kept);
            token.map(|token| tokens.find(&token).unwrap())
        };
        let none = TokenBits::default();
        let issued: Vec<_> = (0..MOST_OF_NETWORK)
            .map(|i| {
                let bits = issue(&mut tokens, &none).unwrap();
                tokens.known.get_mut(&bits).unwrap().answers.at =
                    now + Duration::from_secs(i as u64);
                bits
            })
            .collect();
        // The first has answered, the second has not.
        let fresh = issue(&mut tokens, &issued[0]).unwrap();
        assert!(tokens.known.contains_key(&issued[0]) && tokens.known.contains_key(&fresh));
        assert!(!tokens.known.contains_key(&issued[1]));
        assert_eq!(tokens.known.len(), MOST_OF_NETWORK);
        assert_eq!(tokens.networks[&crowd].0, MOST_OF_NETWORK);
        tokens.networks.get_mut(&crowd).unwrap().1.left = 1.0;
        assert!(tokens.issue(crowd, |_| true).is_err(), "all have answered");
        // Another network has room of its own.
        assert!(tokens.issue(IpAddr::from([10, 0, 0, 2]), |_| true).is_ok());
    }
}
