//! Holm's step-down correction (Holm 1979, *Scand. J. Statist.* 6:65-70).

/// The corrected p of each of a family's tests, in their order. The family may be larger than the tests that could be
/// made (`family` counts those without a p too, as if theirs were 1), so that a missing one never helps the others.
pub fn holm(ps: &[f64], family: usize) -> Vec<f64> {
    let family = family.max(ps.len());
    let mut order: Vec<usize> = (0..ps.len()).collect();
    order.sort_by(|a, b| ps[*a].total_cmp(&ps[*b]));
    let mut corrected = vec![1.0; ps.len()];
    let mut largest = 0.0_f64;
    for (step, place) in order.into_iter().enumerate() {
        largest = largest.max(ps[place] * (family - step) as f64).min(1.0);
        corrected[place] = largest;
    }
    corrected
}

/// The corrected p of two tests on each of a family's subjects, of which at most one hypothesis can be true: "equal" and
/// "further apart than the margin". One correction for both, so that the chance of anything false in a table is what is
/// promised, and not twice that: Holm's, with the number of hypotheses that can still be true at each step in place of
/// the number that is left (Shaffer 1986, *JASA* 81:826-831, procedure S1). That is the number of subjects of which not
/// both were rejected. Again `family` counts the subjects that could not be tested too.
pub fn holm_of_either(ps: &[(f64, f64)], family: usize) -> Vec<(f64, f64)> {
    let mut order: Vec<(f64, usize, bool)> = Vec::with_capacity(2 * ps.len());
    for (place, (one, other)) in ps.iter().enumerate() {
        order.extend([(*one, place, false), (*other, place, true)]);
    }
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut corrected = vec![(1.0, 1.0); ps.len()];
    let mut rejected = vec![0_u8; ps.len()];
    let (mut can_be_true, mut largest) = (family.max(ps.len()), 0.0_f64);
    for (p, place, second) in order {
        largest = largest.max(p * can_be_true as f64).min(1.0);
        if second {
            corrected[place].1 = largest;
        } else {
            corrected[place].0 = largest;
        }
        rejected[place] += 1;
        if rejected[place] == 2 {
            can_be_true -= 1;
        }
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn steps_down_and_never_back() {
        assert!(close(&holm(&[0.01, 0.04, 0.03], 3), &[0.03, 0.06, 0.06]));
        assert!(close(&holm(&[0.5, 0.9], 2), &[1.0, 1.0]));
        assert!(holm(&[], 3).is_empty());
    }

    #[test]
    fn a_test_that_could_not_be_made_still_counts() {
        assert!(close(&holm(&[0.01, 0.02], 4), &[0.04, 0.06]));
    }

    #[test]
    fn of_two_that_cannot_both_be_true_only_one_counts() {
        assert_eq!(holm_of_either(&[(0.01, 0.5)], 1), [(0.01, 0.5)]);
        // The first subject is done with after both of its tests; until then there are two that can be true.
        let corrected = holm_of_either(&[(0.01, 0.02), (0.03, 0.04)], 2);
        let flat: Vec<f64> = corrected.into_iter().flat_map(|(one, other)| [one, other]).collect();
        assert!(close(&flat, &[0.02, 0.04, 0.04, 0.04]), "{flat:?}");
    }

    proptest! {
        #[test]
        fn keeps_the_order_and_is_never_below_p(ps in prop::collection::vec(0.0..=1.0_f64, 1..40)) {
            let corrected = holm(&ps, ps.len());
            for (p, corrected) in ps.iter().zip(&corrected) {
                prop_assert!(p <= corrected && *corrected <= 1.0);
            }
            for (i, j) in (0..ps.len()).flat_map(|i| (0..ps.len()).map(move |j| (i, j))) {
                prop_assert!(ps[i] > ps[j] || corrected[i] <= corrected[j]);
            }
        }
    }
}
