//! The same target with stacks of another size for its threads.

use crate::targets::{Source, StackSize, Target};

/// A target that is told to give its threads stacks of so many KiB.
///
/// # Errors
/// In words, if it cannot be told.
pub fn with_stack(target: &Target, workers: Option<usize>, kib: u32) -> Result<Target, String> {
    let mut other = target.clone();
    match &target.description.stack_size {
        None => return Err("the size of its threads' stacks cannot be chosen".to_owned()),
        Some(StackSize::Variable(name)) => {
            other.description.environment.insert(name.clone(), (u64::from(kib) << 10).to_string());
        }
        Some(StackSize::Argument(argument)) => {
            if let Source::Package { .. } = other.source {
                // Its binary is named by its whole path.
                other.source = Source::Command { folder: "/".into() };
                other.description.command = target.command(workers);
            }
            other.description.command.push(argument.replace("{kib}", &kib.to_string()));
        }
    }
    Ok(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::Description;

    fn target(key: &str) -> Target {
        let text = format!(
            "name = \"x\"\nkind = \"std\"\nlanguage = \"Rust\"\nmodel = \"\"\nport = 8101\ncommand = [\"serve\", \"{{port}}\"]\n{key}"
        );
        let description: Description = toml::from_str(&text).unwrap();
        let source = Source::Command { folder: "/".into() };
        Target { description, source, version: None, host: std::net::Ipv4Addr::LOCALHOST }
    }

    #[test]
    fn a_target_is_told_in_its_own_way_and_one_that_cannot_be_told_says_so() {
        let told = |key: &str| with_stack(&target(key), None, 64);
        let by_argument = told("stack-size = { argument = \"--stack-size={kib}KiB\" }").unwrap();
        assert_eq!(by_argument.command(None), ["serve", "8101", "--stack-size=64KiB"]);
        let by_variable = told("stack-size = { variable = \"STACK_SIZE\" }").unwrap();
        assert_eq!(by_variable.environment(None), [("STACK_SIZE".to_owned(), "65536".to_owned())]);
        assert_eq!(by_variable.command(None), ["serve", "8101"]);
        assert!(told("").unwrap_err().contains("cannot be chosen"));
    }
}
