//! Tiers as a compact letter display: two targets share a letter if and only if they were not shown to differ.
//! Insert and absorb (Piepho 2004, *J. Comput. Graph. Stat.* 13:456-466).

use std::collections::BTreeSet;

/// A set of targets, by place in the order given, that were not shown to differ.
type Column = BTreeSet<usize>;

/// The tiers of each of `count` targets, best first: numbers from 0, ascending. Targets are numbered in their order,
/// best first; `differ` holds the pairs that were shown to differ.
pub fn tiers(count: usize, differ: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut columns: Vec<Column> = vec![(0..count).collect()];
    for (one, other) in differ {
        insert(&mut columns, *one, *other);
        // Insert and absorb can need exponentially many letters where no order underlies the differences (Gramm et al.
        // 2007, *J. Comput. Biol.* 14:1-18). Letters that join no pair of their own are not needed.
        if columns.len() > count {
            drop_needless(&mut columns, count);
        }
    }
    columns.sort();
    (0..count).map(|target| (0..columns.len()).filter(|column| columns[*column].contains(&target)).collect()).collect()
}

/// Every column with both is split in two, without the one and without the other; what is then part of another column
/// is absorbed.
fn insert(columns: &mut Vec<Column>, one: usize, other: usize) {
    let (split, mut kept): (Vec<Column>, Vec<Column>) =
        columns.drain(..).partition(|column| column.contains(&one) && column.contains(&other));
    for column in split {
        for leaves in [one, other] {
            let mut part = column.clone();
            part.remove(&leaves);
            if !kept.iter().any(|other| part.is_subset(other)) {
                kept.retain(|other| !other.is_subset(&part));
                kept.push(part);
            }
        }
    }
    *columns = kept;
}

/// Drops each column whose pairs (a target is a pair with itself) all stand together in others too.
fn drop_needless(columns: &mut Vec<Column>, count: usize) {
    let pairs = |column: &Column| -> Vec<usize> {
        column.iter().flat_map(|one| column.range(one..).map(move |other| one * count + other)).collect()
    };
    let mut joined = vec![0_usize; count * count];
    for pair in columns.iter().flat_map(pairs) {
        joined[pair] += 1;
    }
    columns.retain(|column| {
        let own = pairs(column);
        let needed = own.iter().any(|pair| joined[*pair] == 1);
        if !needed {
            for pair in own {
                joined[pair] -= 1;
            }
        }
        needed
    });
}

/// A tier's letter: a … z, A … Z, then the same with a dot for each time round.
pub fn letter(tier: usize) -> String {
    let letters: Vec<char> = ('a'..='z').chain('A'..='Z').collect();
    format!("{}{}", letters[tier % letters.len()], ".".repeat(tier / letters.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn letters(count: usize, differ: &[(usize, usize)]) -> String {
        let tiers = tiers(count, differ);
        tiers.iter().map(|own| own.iter().map(|tier| letter(*tier)).collect::<String>()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tiers_overlap_where_the_middle_differs_from_neither_end() {
        assert_eq!(letters(3, &[(0, 2)]), "a ab b");
        assert_eq!(letters(3, &[]), "a a a");
        assert_eq!(letters(3, &[(0, 1), (0, 2), (1, 2)]), "a b c");
        assert_eq!(letters(4, &[(0, 2), (0, 3), (1, 3)]), "a ab bc c");
        assert_eq!(letters(0, &[]), "");
    }

    #[test]
    fn there_are_letters_for_any_number_of_tiers() {
        assert_eq!([0, 25, 26, 51, 52, 104].map(letter), ["a", "z", "A", "Z", "a.", "a.."]);
    }

    #[test]
    fn differences_without_any_order_do_not_explode() {
        // Twenty pairs that differ only within themselves: 2^20 letters without the check.
        let differ: Vec<(usize, usize)> = (0..20).map(|pair| (2 * pair, 2 * pair + 1)).collect();
        let own = tiers(40, &differ);
        assert_shares_unless_differs(&own, &differ);
    }

    fn assert_shares_unless_differs(own: &[Vec<usize>], differ: &[(usize, usize)]) {
        for (i, j) in (0..own.len()).flat_map(|j| (0..j).map(move |i| (i, j))) {
            let share = own[i].iter().any(|tier| own[j].contains(tier));
            assert_eq!(share, !differ.contains(&(i, j)), "{i} and {j}");
        }
        assert!(own.iter().all(|tiers| !tiers.is_empty()), "no target is without a tier");
    }

    fn any_differences() -> impl Strategy<Value = (usize, Vec<(usize, usize)>)> {
        (1..14_usize, prop::collection::vec(any::<bool>(), 91)).prop_map(|(count, differ)| {
            let pairs = (0..count).flat_map(|j| (0..j).map(move |i| (i, j)));
            (count, pairs.zip(differ).filter_map(|(pair, differ)| differ.then_some(pair)).collect())
        })
    }

    proptest! {
        #[test]
        fn two_share_a_letter_if_and_only_if_they_were_not_shown_to_differ((count, differ) in any_differences()) {
            assert_shares_unless_differs(&tiers(count, &differ), &differ);
        }

        #[test]
        fn a_is_the_tier_of_the_best((count, differ) in any_differences()) {
            prop_assert_eq!(tiers(count, &differ)[0][0], 0);
        }
    }
}
