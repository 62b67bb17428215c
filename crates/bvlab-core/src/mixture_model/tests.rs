use super::*;
use crate::stream::Purpose;

fn never() -> Interrupt<'static> {
    Interrupt::never()
}

fn stream(resample: u64) -> Stream {
    Stream::new(7, Purpose::Algorithm, resample)
}

/// Points of many kinds: clouds, equal points, points on a line, far away, far apart, fewer than
/// groups, and values that arithmetic cannot square.
fn data_sets() -> Vec<Points> {
    let mut sets = Vec::new();
    for size in [1, 2, 3] {
        let mut stream = stream(size as u64);
        let cloud: Vec<f64> = (0..40 * size).map(|_| normal(&mut stream)).collect();
        let scaled = |by: f64, shift: f64| {
            let values = cloud.iter().map(|x| by * x + shift).collect();
            Points::new(size, values)
        };
        sets.extend([scaled(1.0, 0.0), scaled(1e-9, 1.0), scaled(1.0, 1e9)]);
        sets.extend([scaled(1e120, 0.0), scaled(0.0, 3.0), scaled(1e-170, 0.0)]);
        // On a line, many of them equal.
        let line = (0..40 * size).map(|i| f64::from((i / size % 5) as u32));
        sets.push(Points::new(size, line.collect()));
        sets.push(Points::new(size, cloud[..2 * size].to_vec()));
        let mut mixed = cloud[..20 * size].to_vec();
        mixed[0] = f64::MAX;
        mixed[size] = f64::NEG_INFINITY;
        mixed[2 * size] = f64::NAN;
        sets.push(Points::new(size, mixed));
        // One point far from all others: a component of its own.
        let mut lonely = cloud[..20 * size].to_vec();
        lonely[0] = 1e4;
        sets.push(Points::new(size, lonely));
    }
    sets
}

#[test]
fn the_log_likelihood_never_falls_whatever_the_data() {
    for (i, points) in data_sets().iter().enumerate() {
        for covariance in MixtureCovariance::ALL {
            for (floor, groups) in [(1e-6, 1), (1e-6, 4), (1e-30, 3), (1.0, 5)] {
                let settings = EmSettings {
                    covariance,
                    floor,
                    ..EmSettings::default()
                };
                let centres =
                    GroupStart::Random.centres(points, groups, &mut stream(100 + i as u64));
                let share = if i % 2 == 0 { 1.0 } else { 1e-3 };
                let start = GaussianMixture::around(points, &centres, share);
                let mut em = Em::new(points, start, &settings, &never()).unwrap();
                for step in 0..30 {
                    let gain = em.step(&never()).unwrap();
                    let rounding = 1e-11 * em.log_likelihood().abs().max(points.len() as f64);
                    let about = format!("set {i}, {covariance:?}, {floor}, step {step}: {gain}");
                    assert!(em.log_likelihood().is_finite(), "{about}");
                    assert!(gain > -rounding, "{about}");
                    let parts = &em.mixture().components;
                    let total: f64 = parts.iter().map(|part| part.weight).sum();
                    assert!((total - 1.0).abs() < 1e-9, "{about}: {total}");
                    for part in parts {
                        assert!(part.variances.iter().all(|v| *v >= floor), "{about}");
                        assert!(part.mean.iter().all(|x| x.is_finite()), "{about}");
                    }
                    assert!(em.shares().iter().all(|share| share.is_finite()), "{about}");
                }
            }
        }
    }
}

#[test]
fn the_objective_of_k_means_never_rises_and_scatters_add_up() {
    for (i, points) in data_sets().iter().enumerate() {
        for start in [GroupStart::PlusPlus, GroupStart::Random] {
            for groups in [1, 2, 5] {
                let centres = start.centres(points, groups, &mut stream(i as u64));
                assert_eq!(centres.len(), groups.min(points.len()) * points.dimension());
                let mut means = KMeans::new(points, centres, &never()).unwrap();
                // Means are rounded where the points are.
                let bounded = bounded(points);
                let size = bounded.values().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                let least = (1e-14 * size).powi(2) * points.len() as f64;
                for _ in 0..40 {
                    let before = means.objective();
                    means.step(&never()).unwrap();
                    let most = before * (1.0 + 1e-12) + least;
                    assert!(means.objective() <= most, "set {i}");
                }
                let all = Scatter::of(&bounded, means.labels());
                let rounding = 1e-12 * size * (all.total * points.len() as f64).sqrt();
                let rounding = rounding + 1e-11 * all.total;
                let apart = (all.within + all.between - all.total).abs();
                assert!(apart <= rounding, "set {i}: {all:?}");
                // Where nothing changes any more, centres are the means of their groups.
                let apart = (all.within - means.objective()).abs();
                assert!(apart <= rounding, "set {i}: {all:?}");
            }
        }
    }
}

/// Among covariances with eigenvalues of at least the floor, none is more probable than the one that
/// a step finds.
#[test]
fn clipping_eigenvalues_is_the_exact_constrained_step() {
    let mut stream = stream(3);
    let values = (0..60).map(|i| [1.0, 0.01][i % 2] * normal(&mut stream));
    let points = Points::new(2, values.collect());
    let settings = EmSettings {
        floor: 0.05,
        ..EmSettings::default()
    };
    let start = GaussianMixture::around(&points, &[0.0, 0.0], 1.0);
    let mut em = Em::new(&points, start, &settings, &never()).unwrap();
    em.step(&never()).unwrap();
    let best = em.mixture().components[0].clone();
    assert_eq!(best.variances.iter().copied().fold(9.0, f64::min), 0.05);
    for _ in 0..300 {
        let part = best.covariance();
        let [a, b, c] = [0, 1, 3].map(|i| part[i] + 0.1 * normal(&mut stream) * part[i].max(0.02));
        let other = MixtureComponent::new(1.0, best.mean.clone(), &[a, b, b, c], 0.05);
        let other = GaussianMixture {
            components: vec![other],
        };
        let logs = other.log_density(&points, &never()).unwrap();
        assert!(logs.iter().sum::<f64>() <= em.log_likelihood() + 1e-9);
    }
}

#[test]
fn k_means_is_the_limit_of_small_equal_spheres() {
    let mut stream = stream(4);
    let points = Points::new(2, (0..200).map(|_| normal(&mut stream)).collect());
    let centres = GroupStart::Random.centres(&points, 4, &mut stream);
    let mut means = KMeans::new(&points, centres.clone(), &never()).unwrap();
    let (mut shares, mut logs) = (Vec::new(), Vec::new());
    let mut limit = GaussianMixture::around(&points, &centres, 1e-12);
    for _ in 0..10 {
        limit
            .expect(&points, &mut shares, &mut logs, &never())
            .unwrap();
        assert_eq!(hard_labels(&shares, 4), means.labels());
        means.step(&never()).unwrap();
        // The M-step of the means alone.
        for (k, part) in limit.components.iter_mut().enumerate() {
            let own = || shares.iter().skip(k).step_by(4);
            let total: f64 = own().sum();
            for (j, mean) in part.mean.iter_mut().enumerate() {
                *mean = points.rows().zip(own()).map(|(x, r)| r * x[j]).sum::<f64>() / total;
            }
        }
    }
}

#[test]
fn a_mixture_draws_what_it_is() {
    let mixture = GaussianMixture {
        components: vec![
            MixtureComponent::new(0.3, vec![1.0, -2.0], &[2.0, 0.6, 0.6, 0.5], 0.0),
            MixtureComponent::new(0.7, vec![50.0, 0.0], &[1.0, 0.0, 0.0, 1.0], 0.0),
        ],
    };
    let (points, labels) = mixture.draw(40_000, &mut stream(5));
    let own: Vec<&[f64]> = points
        .rows()
        .zip(&labels)
        .filter(|(_, k)| **k == 0)
        .map(|(x, _)| x)
        .collect();
    let n = own.len() as f64;
    assert!((n / 4e4 - 0.3).abs() < 5.0 * (0.21 / 4e4_f64).sqrt());
    let mean = |of: &dyn Fn(&[f64]) -> f64| own.iter().map(|x| of(x)).sum::<f64>() / n;
    assert!((mean(&|x| x[0]) - 1.0).abs() < 5.0 * (2.0 / n).sqrt());
    let product = mean(&|x| (x[0] - 1.0) * (x[1] + 2.0));
    assert!((product - 0.6).abs() < 5.0 * ((2.0 * 0.5 + 0.36) / n).sqrt());
}

#[test]
fn groups_are_matched_as_trying_all_orders_finds() {
    let mut stream = stream(6);
    for _ in 0..50 {
        let mut draw = || -> Vec<usize> { (0..30).map(|_| stream.random_range(0..4)).collect() };
        let (labels, classes) = (draw(), draw());
        let right = |order: &[usize]| {
            let pairs = labels.iter().zip(&classes);
            pairs
                .filter(|(label, class)| order[**class] == **label)
                .count()
        };
        let mut most = 0;
        for code in 0..256 {
            let order = [code % 4, code / 4 % 4, code / 16 % 4, code / 64];
            if (0..4).all(|k| order.contains(&k)) {
                most = most.max(right(&order));
            }
        }
        assert_eq!(right(&matched(&labels, &classes, 4)), most);
    }
}

#[test]
fn long_fits_can_be_interrupted() {
    let points = Points::new(2, (0..20_000).map(f64::from).collect());
    let stop = Interrupt::new(&|| true);
    let settings = EmSettings {
        tolerance: -1.0,
        ..EmSettings::default()
    };
    let fit = fit_mixture(
        &points,
        5,
        &settings,
        &GroupStart::PlusPlus,
        1,
        &stream(8),
        &stop,
    );
    assert!(fit.is_err());
}
