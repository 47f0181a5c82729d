//! Packed base-100 numbers as DECIMAL, DATETIME and INTERVAL, and parameter blocks.
//!
//! Input: two bytes (qualifier code, or scale in the second), then the bytes.
#![no_main]

use informix_types::packed::Packed;
use informix_types::{DateTime, Decimal, Interval, Qualifier, TextCodec, bind};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Ok((bound, used)) = bind::decode(input, 1 << 20, &TextCodec::default()) {
        assert!(used <= input.len());
        let _ = format!("{bound:?}");
    }
    let Some(([high, low], bytes)) = input.split_first_chunk() else {
        return;
    };
    if let Ok(Some(packed)) = Packed::decode(bytes) {
        let mut out = Vec::new();
        packed.write(&mut out);
        assert_eq!(Packed::decode(&out), Ok(Some(packed)));
    }
    if let Ok(Some(number)) = Decimal::from_packed_bytes(bytes, Some(low % 33)) {
        let text = number.to_string();
        assert_eq!(text.parse::<Decimal>().as_ref(), Ok(&number), "{text}");
    }
    let _ = Decimal::from_packed_bytes(bytes, None).map(|number| number.map(|number| number.to_string()));
    let Ok(qualifier) = Qualifier::from_code(u16::from_be_bytes([*high, *low])) else {
        return;
    };
    if let Ok(Some(moment)) = DateTime::from_packed_bytes(bytes, qualifier) {
        let out = moment.to_packed_bytes().unwrap();
        assert_eq!(DateTime::from_packed_bytes(&out, qualifier), Ok(Some(moment)));
    }
    if let Ok(Some(span)) = Interval::from_packed_bytes(bytes, qualifier) {
        let out = span.to_packed_bytes().unwrap();
        assert_eq!(Interval::from_packed_bytes(&out, qualifier), Ok(Some(span)));
    }
});
