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

/// A setting and, by rising stage, (stage, number of a setting) of all that share its fit.
type Stages<'a, S> = (&'a S, Vec<(usize, usize)>);

/// Settings that are stages of one fit, such as the rounds of boosting or the epochs of a network,
/// are read off it on the way: settings that are the `same` but for their stage share a fit.
pub(super) fn staged<S>(
    settings: &[S],
    same: impl Fn(&S, &S) -> bool,
    stage: impl Fn(&S) -> usize,
) -> Vec<Stages<'_, S>> {
    let mut groups: Vec<Stages<S>> = Vec::new();
    for (c, setting) in settings.iter().enumerate() {
        let shares = |(first, _): &Stages<S>| same(first, setting);
        let (_, stages) = group_of(&mut groups, shares, || (setting, Vec::new()));
        stages.push((stage(setting), c));
    }
    for (_, stages) in &mut groups {
        stages.sort_unstable();
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_of_one_fit_rise_and_keep_the_numbers_of_their_settings() {
        let settings = [(1, 30), (2, 5), (1, 10), (1, 20)];
        let groups = staged(&settings, |a, b| a.0 == b.0, |setting| setting.1);
        let first = (&(1, 30), vec![(10, 2), (20, 3), (30, 0)]);
        assert_eq!(groups, [first, (&(2, 5), vec![(5, 1)])]);
    }

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
