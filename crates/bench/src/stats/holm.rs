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
