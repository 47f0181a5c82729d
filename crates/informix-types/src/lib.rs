//! Exact Informix SQL values, their wire codecs and code sets. No I/O.
