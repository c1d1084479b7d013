//! Tells the library which profile it is built with, so that a server can say that it is a dev build.

fn main() {
    let profile = std::env::var("PROFILE").expect("cargo sets PROFILE for build scripts");
    println!("cargo::rustc-env=HELLO_PROFILE={profile}");
    println!("cargo::rerun-if-changed=build.rs");
}
