//! The exact Wilcoxon signed-rank test, its interval and the Hodges-Lehmann estimate: all of them read from one
//! sorted list, the Walsh averages (dᵢ + dⱼ)/2, i ≤ j, of the paired differences d.
//!
//! The number of Walsh averages above θ is the signed-rank statistic for the hypothesis that the differences are
//! symmetric about θ (Tukey 1949; Hollander, Wolfe & Chicken, *Nonparametric Statistical Methods*, 3rd ed. 2014,
//! §3.1 to 3.3). Without ties its distribution depends on n alone, and is counted here for every n, never approximated.
//!
//! **Ties and zeros** are given to the hypothesis: a Walsh average of exactly θ counts for neither side, and p comes
//! from the distribution without ties. Breaking every tie at random would give a statistic with just that
//! distribution, and never a smaller one, so that p is never too small; and the test rejects θ exactly if the closed
//! interval leaves it out, which keeps its level when values are discrete (Noether 1967, *JASA* 62:184-188).
//! Test, interval and equivalence can therefore never contradict each other.

use std::collections::BTreeMap;

/// The distribution of the signed-rank statistic of n differences without ties, under the hypothesis.
#[derive(Debug, Clone)]
pub struct Null {
    /// P(T ≤ t) for t = 0 … n(n+1)/2.
    at_most: Vec<f64>,
}

impl Null {
    /// Counts it: rank by rank, each in the sum or not, with probability ½. Only additions of positive numbers and
    /// halvings, so that even the smallest tail is right to the last digits.
    pub fn of(n: usize) -> Self {
        let mut mass = vec![0.0; walsh_count(n) + 1];
        mass[0] = 1.0;
        for rank in 1..=n {
            for sum in (0..=walsh_count(rank)).rev() {
                let with = if sum >= rank { mass[sum - rank] } else { 0.0 };
                mass[sum] = 0.5 * (mass[sum] + with);
            }
        }
        Self::summed(mass)
    }

    /// From the probability of each value of a statistic that is distributed symmetrically, from 0 on.
    pub(super) fn summed(mut mass: Vec<f64>) -> Self {
        let mut total = 0.0;
        for mass in &mut mass {
            total += *mass;
            *mass = total;
        }
        Self { at_most: mass }
    }

    /// P(T ≥ t), which is P(T ≤ n(n+1)/2 − t).
    fn at_least(&self, statistic: usize) -> f64 {
        self.at_most[self.at_most.len() - 1 - statistic].min(1.0)
    }

    /// How many Walsh averages are cut from each end for an interval of at least this level, and the level attained;
    /// `None` if even the whole range is less sure than that.
    fn cut(&self, level: f64) -> Option<(usize, f64)> {
        let tail = (1.0 - level) / 2.0;
        let cut = self.at_most.partition_point(|at_most| *at_most <= tail).checked_sub(1)?;
        Some((cut, 1.0 - 2.0 * self.at_most[cut]))
    }
}

/// The distributions that were needed so far, by n.
#[derive(Debug, Clone, Default)]
pub struct Nulls(BTreeMap<usize, Null>);

impl Nulls {
    /// That of n differences.
    pub fn of(&mut self, n: usize) -> &Null {
        self.0.entry(n).or_insert_with(|| Null::of(n))
    }
}

/// An interval for the centre of the differences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end, which belongs to it.
    pub low: f64,
    /// The upper end, which belongs to it.
    pub high: f64,
    /// The probability with which such intervals hold the centre: at least what was asked for.
    pub level: f64,
}

/// The Walsh averages of at least one difference, sorted.
#[derive(Debug, Clone, PartialEq)]
pub struct Walsh {
    sorted: Vec<f64>,
}

impl Walsh {
    /// Of finite differences; `None` if there are none.
    pub fn of(differences: &[f64]) -> Option<Self> {
        let mut averages = Vec::with_capacity(walsh_count(differences.len()));
        for (place, one) in differences.iter().enumerate() {
            averages.extend(differences[place..].iter().map(|other| 0.5 * (one + other)));
        }
        Self::sorted(averages)
    }

    /// Of the values that are counted above and below a centre; `None` if there are none.
    pub(super) fn sorted(mut sorted: Vec<f64>) -> Option<Self> {
        sorted.sort_unstable_by(f64::total_cmp);
        (!sorted.is_empty()).then_some(Self { sorted })
    }

    /// The Hodges-Lehmann estimate of the centre: the median of the Walsh averages.
    pub fn estimate(&self) -> f64 {
        let count = self.sorted.len();
        f64::midpoint(self.sorted[(count - 1) / 2], self.sorted[count / 2])
    }

    /// The smallest and the largest difference.
    pub fn ends(&self) -> (f64, f64) {
        (self.sorted[0], self.sorted[self.sorted.len() - 1])
    }

    /// The exact interval of at least this level; `None` if there are too few differences for it.
    pub fn interval(&self, level: f64, null: &Null) -> Option<Interval> {
        let (cut, level) = null.cut(level)?;
        let last = self.sorted.len() - 1;
        Some(Interval { low: self.sorted[cut], high: self.sorted[last - cut], level })
    }

    /// The exact two-sided p of the hypothesis that the centre is 0.
    pub fn p_of_no_difference(&self, null: &Null) -> f64 {
        let extreme = self.above(0.0).max(self.below(0.0));
        (2.0 * null.at_least(extreme)).min(1.0)
    }

    /// The p of the hypothesis that the centre is `margin` or more away from 0, on either side: the greater of two
    /// one-sided tests (Schuirmann 1987, *J. Pharmacokinet. Biopharm.* 15:657-680; with ranks: Hauschke, Steinijans &
    /// Diletti 1990, *Int. J. Clin. Pharmacol.* 28:72-78).
    pub fn p_of_no_equivalence(&self, margin: f64, null: &Null) -> f64 {
        null.at_least(self.above(-margin)).max(null.at_least(self.below(margin)))
    }

    fn above(&self, centre: f64) -> usize {
        self.sorted.len() - self.sorted.partition_point(|average| *average <= centre)
    }

    fn below(&self, centre: f64) -> usize {
        self.sorted.partition_point(|average| *average < centre)
    }
}

fn walsh_count(n: usize) -> usize {
    n * (n + 1) / 2
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "what is promised here is the same to the last bit")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn p(differences: &[f64]) -> f64 {
        Walsh::of(differences).unwrap().p_of_no_difference(&Null::of(differences.len()))
    }

    #[test]
    fn the_smallest_two_sided_p_is_two_over_two_to_the_n() {
        for n in 1..=60_u8 {
            let differences: Vec<f64> = (1..=n).map(f64::from).collect();
            let smallest = 2.0 / 2.0_f64.powi(n.into());
            assert!((p(&differences) / smallest - 1.0).abs() < 1e-12, "{n}");
        }
    }

    #[test]
    fn no_interval_is_given_that_n_cannot_hold() {
        let five = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(Walsh::of(&five).unwrap().interval(0.95, &Null::of(5)), None);
        let six = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let interval = Walsh::of(&six).unwrap().interval(0.95, &Null::of(6)).unwrap();
        assert_eq!(interval, Interval { low: 1.0, high: 6.0, level: 1.0 - 2.0 / 64.0 });
    }

    #[test]
    fn equal_differences_are_as_sure_as_n_allows_and_zeros_show_nothing() {
        assert!((p(&[0.1; 8]) - 2.0 / 256.0).abs() < 1e-15);
        assert!((p(&[0.0; 8]) - 1.0).abs() < 1e-15);
        assert_eq!(Walsh::of(&[]), None);
    }

    #[test]
    fn p_of_one_thousand_differences_is_still_counted() {
        let null = Null::of(1000);
        assert!((null.at_most.last().unwrap() - 1.0).abs() < 1e-9);
        // Mean n(n+1)/4; half of the distribution is on each side of it.
        assert!((null.at_most[250_250] - 0.5).abs() < 1e-4);
    }

    /// Half of them on a coarse grid, so that ties and zeros are common.
    fn differences() -> impl Strategy<Value = Vec<f64>> {
        let coarse = prop::collection::vec((-4..=4_i8).prop_map(f64::from), 1..25);
        prop_oneof![prop::collection::vec(-1.0..1.0_f64, 1..25), coarse]
    }

    proptest! {
        #[test]
        fn breaking_a_tie_never_makes_p_greater_than_the_tied_one(
            tied in differences(), noise in prop::collection::vec(-1e-6..1e-6_f64, 25)
        ) {
            let broken: Vec<f64> = tied.iter().zip(&noise).map(|(d, noise)| d + noise).collect();
            let null = Null::of(tied.len());
            let (tied, broken) = (Walsh::of(&tied).unwrap(), Walsh::of(&broken).unwrap());
            let one_sided = |walsh: &Walsh| null.at_least(walsh.above(0.0));
            prop_assert!(one_sided(&broken) <= one_sided(&tied) + 1e-12);
        }

        #[test]
        fn test_and_interval_never_contradict_each_other(
            d in differences(), level in 0.5..0.999_f64, margin in 0.01..2.0_f64
        ) {
            let (walsh, null) = (Walsh::of(&d).unwrap(), Null::of(d.len()));
            let differs = walsh.interval(level, &null).is_some_and(|i| i.low > 0.0 || i.high < 0.0);
            prop_assert_eq!(differs, walsh.p_of_no_difference(&null) <= 1.0 - level);
            // Two one-sided tests at α belong to the interval of 1 − 2α.
            let alpha = (1.0 - level) / 2.0;
            let inside = walsh.interval(level, &null).is_some_and(|i| i.low > -margin && i.high < margin);
            prop_assert_eq!(inside, walsh.p_of_no_equivalence(margin, &null) <= alpha);
        }

        #[test]
        fn a_change_of_sign_changes_the_sign_and_nothing_else(d in differences(), margin in 0.01..2.0_f64) {
            let null = Null::of(d.len());
            let minus: Vec<f64> = d.iter().map(|d| -d).collect();
            let (walsh, minus) = (Walsh::of(&d).unwrap(), Walsh::of(&minus).unwrap());
            prop_assert_eq!(walsh.estimate(), -minus.estimate());
            prop_assert_eq!(walsh.p_of_no_difference(&null), minus.p_of_no_difference(&null));
            prop_assert_eq!(walsh.p_of_no_equivalence(margin, &null), minus.p_of_no_equivalence(margin, &null));
            let turned = minus.interval(0.9, &null).map(|i| Interval { low: -i.high, high: -i.low, level: i.level });
            prop_assert_eq!(walsh.interval(0.9, &null), turned);
        }

        #[test]
        fn the_order_of_blocks_changes_nothing(d in differences(), turn in 0..25_usize) {
            let mut turned = d.clone();
            turned.rotate_left(turn % d.len());
            prop_assert_eq!(Walsh::of(&d), Walsh::of(&turned));
        }
    }
}
