//! `ifx`: shell, development server and connection doctor.

fn main() {}
