//! The harness of the comparison, along the way the data goes:
//! cli → targets → plan → process → load → check → results → stats → report.

pub mod load;
