//! SQLI, sans-I/O, both roles. Bytes in, events out; requests in, bytes out.
