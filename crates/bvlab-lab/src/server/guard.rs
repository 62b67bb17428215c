//! Protection against other sites: only pages that the lab itself has served may send requests.
//!
//! A page from elsewhere could reach a server on this machine through the visitor's browser, by
//! posting across sites or by a host name of its own that resolves to this machine (DNS rebinding).
//! The lab therefore accepts only IP addresses, `localhost` and the names it was given; if a browser
//! says which site a request comes from, it must be the lab's own.

use std::net::{IpAddr, Ipv6Addr};

/// Whether the lab accepts a `Host`.
pub fn knows_host(host: &str, names: &[String]) -> bool {
    let Some(name) = without_port(host) else {
        return false;
    };
    let name = name.to_ascii_lowercase();
    let bracketed = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    match bracketed {
        Some(inner) => inner.parse::<Ipv6Addr>().is_ok(),
        None => {
            name == "localhost"
                || name
                    .parse::<IpAddr>()
                    .is_ok_and(|address| address.is_ipv4())
                || names.iter().any(|known| known.eq_ignore_ascii_case(&name))
        }
    }
}

/// A host without its port; `None` if it is malformed.
fn without_port(host: &str) -> Option<&str> {
    let end = match host.starts_with('[') {
        true => host.find(']')? + 1,
        false => host.find(':').unwrap_or(host.len()),
    };
    let (name, port) = host.split_at(end);
    let digits =
        |port: &str| port.parse::<u16>().is_ok() && port.bytes().all(|b| b.is_ascii_digit());
    let whole = port.is_empty() || port.strip_prefix(':').is_some_and(digits);
    (whole && !name.is_empty()).then_some(name)
}

/// Whether an `Origin` is the site of that `Host`.
pub fn same_site(origin: &str, host: &str) -> bool {
    let site = origin
        .strip_prefix("http://")
        .or(origin.strip_prefix("https://"));
    site.is_some_and(|site| site.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_and_given_names_are_hosts() {
        let names = ["lab.example.edu".to_owned()];
        for host in [
            "127.0.0.1:7878",
            "localhost",
            "LOCALHOST:80",
            "192.168.1.5:7878",
            "[::1]:7878",
            "[fe80::1]",
            "lab.example.edu:7878",
            "Lab.Example.edu",
        ] {
            assert!(knows_host(host, &names), "{host}");
        }
        for host in [
            "",
            ":7878",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:7878",
            "127.0.0.1:7878x",
            "127.0.0.1:+80",
            "127.0.0.1:",
            "[::1",
            "[::1]evil",
            "[evil]",
            "::1",
            "lab.example.edu.evil.example",
            "user@127.0.0.1",
            "0x7f000001",
        ] {
            assert!(!knows_host(host, &names), "{host}");
        }
    }

    #[test]
    fn only_the_same_site_is_the_same() {
        assert!(same_site("http://127.0.0.1:7878", "127.0.0.1:7878"));
        for origin in [
            "null",
            "http://127.0.0.1",
            "http://127.0.0.1:7879",
            "http://evil.example",
            "http://127.0.0.1:7878.evil.example",
            "file://",
            "",
        ] {
            assert!(!same_site(origin, "127.0.0.1:7878"), "{origin}");
        }
    }
}
