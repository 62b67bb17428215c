//! Settings that share a fit.

/// The first group that matches, or a new one at the end.
pub(super) fn group_of<G>(
    groups: &mut Vec<G>,
    matches: impl Fn(&G) -> bool,
    new: impl FnOnce() -> G,
) -> &mut G {
    let index = match groups.iter().position(matches) {
        Some(index) => index,
        None => {
            groups.push(new());
            groups.len() - 1
        }
    };
    &mut groups[index]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_share_a_group_in_the_order_of_their_first() {
        let mut groups: Vec<(u32, Vec<usize>)> = Vec::new();
        for (c, key) in [3, 1, 3, 2, 1].into_iter().enumerate() {
            let (_, members) = group_of(&mut groups, |(k, _)| *k == key, || (key, Vec::new()));
            members.push(c);
        }
        assert_eq!(groups, [(3, vec![0, 2]), (1, vec![1, 4]), (2, vec![3])]);
    }
}
