//! Code sets by name and number, single characters of each, error offsets, locales and overrides.

use std::borrow::Cow;
use std::str::FromStr;

use informix_types::locale::CodeSetOverride;
use informix_types::{CodeSet, DecodePolicy, Error, Locale, TextCodec};

/// Name, number, bytes and text as Python's codec of the same name has them.
const SAMPLES: &[(&str, u16, &[u8], &str)] = &[
    ("ASCII", 364, b"abc~", "abc~"),
    ("8859-1", 819, b"\x80\x9f\xa4\xe9\xff", "\u{80}\u{9f}¤éÿ"),
    ("8859-2", 912, b"\xb1\xe6", "ąć"),
    ("8859-3", 57346, b"\xa1", "Ħ"),
    ("8859-4", 57347, b"\xa2", "ĸ"),
    ("8859-5", 915, b"\xbf\xe0", "Пр"),
    ("8859-6", 1089, b"\xc7", "ا"),
    ("8859-7", 813, b"\xe1", "α"),
    ("8859-8", 916, b"\xe0", "א"),
    ("8859-9", 920, b"\xd0\xdd\xde\xf0\xfd\xfe\x80", "ĞİŞğış\u{80}"),
    ("8859-13", 57390, b"\xc0", "Ą"),
    ("8859-15", 57391, b"\xa4\xbd", "€œ"),
    ("8859-16", 1173, b"\xaa", "Ș"),
    ("CP437", 437, b"\x80\x9b\xe1\xff", "Ç¢ß\u{a0}"),
    ("PC-Latin-1", 850, b"\x9b\xd5\xe7", "øıþ"),
    ("PC-Latin-2", 852, b"\xa5\xd5", "ąŇ"),
    ("CP857", 857, b"\x98\xec\xed", "İìÿ"),
    ("CP858", 858, b"\xd5", "€"),
    ("CP864", 864, b"\xc7\x80", "ﺍ°"),
    ("PC866", 866, b"\x80\xaf\xef", "Апя"),
    ("thai", 57373, b"\xa1", "ก"),
    ("CP1250", 1250, b"\xb9", "ą"),
    ("CP1251", 1251, b"\xcf", "П"),
    ("CP1252", 1252, b"\x80\x93\x94", "€“”"),
    ("CP1253", 1253, b"\xe1", "α"),
    ("CP1254", 1254, b"\xd0\x80", "Ğ€"),
    ("CP1255", 1255, b"\xe0", "א"),
    ("CP1256", 1256, b"\xc7", "ا"),
    ("CP1257", 1257, b"\xc0", "Ą"),
    ("sjis-s", 932, b"\x93\xfa\x96\x7b\x87\x40", "日本①"),
    ("sjis", 57350, b"\x93\xfa\x96\x7b", "日本"),
    ("ujis", 57351, b"\xc6\xfc\xcb\xdc", "日本"),
    ("eucJP", 5050, b"\xc6\xfc\xcb\xdc", "日本"),
    ("big5", 57352, b"\xa4\xa4\xa4\xe5", "中文"),
    ("big5-hkscs", 1375, b"\xa4\xa4", "中"),
    ("ksc", 57356, b"\xc7\xd1", "한"),
    ("cp_949", 949, b"\xc7\xd1", "한"),
    ("gb", 57357, b"\xc4\xe3\xba\xc3", "你好"),
    ("GB18030-2000", 5488, b"\xc4\xe3\x94\x39\xda\x33", "你💩"),
    ("utf8", 57372, "aé€😀".as_bytes(), "aé€😀"),
];

#[test]
fn every_code_set_has_a_sample_and_converts_it_both_ways() {
    assert_eq!(SAMPLES.len(), CodeSet::all().count());
    for &(name, number, bytes, text) in SAMPLES {
        let codeset = CodeSet::from_name(&name.to_uppercase()).expect(name);
        assert_eq!((codeset.name(), codeset.number()), (name, number));
        assert_eq!(CodeSet::from_number(number), Ok(codeset));
        assert_eq!(CodeSet::from_name(&number.to_string()), Ok(codeset), "by number");
        assert_eq!(
            codeset.decode(bytes, DecodePolicy::Strict).as_deref(),
            Ok(text),
            "{name}"
        );
        assert_eq!(
            codeset.decode(bytes, DecodePolicy::Replace).as_deref(),
            Ok(text),
            "{name}"
        );
        assert_eq!(codeset.encode(text).as_deref(), Ok(bytes), "{name}");
        let longest = text
            .chars()
            .map(|c| codeset.encode(&c.to_string()).map_or(0, |bytes| bytes.len()))
            .max();
        assert!(longest <= Some(codeset.max_bytes_per_char()), "{name}");
    }
}

#[test]
fn ascii_is_borrowed_in_every_code_set() {
    for codeset in CodeSet::all() {
        assert!(matches!(
            codeset.decode(b"select 1", DecodePolicy::Strict),
            Ok(Cow::Borrowed("select 1"))
        ));
        assert!(matches!(
            codeset.encode("select 1"),
            Ok(Cow::Borrowed(b"select 1"))
        ));
        assert_eq!(codeset.decode(b"", DecodePolicy::Strict).as_deref(), Ok(""));
    }
}

#[test]
fn names_share_numbers() {
    for (left, right) in [
        ("gb", "GB2312-80"),
        ("gb", "cp936"),
        ("ksc", "KS5601"),
        ("big5", "cp950"),
        ("CP850", "850"),
    ] {
        assert_eq!(CodeSet::from_name(left), CodeSet::from_name(right));
    }
    for unknown in ["iso-8859-1", "KOI-8", "", "57382", "70000", "-1"] {
        assert_eq!(
            CodeSet::from_name(unknown),
            Err(Error::CodeSet(unknown.to_owned()))
        );
    }
}

#[test]
fn errors_name_the_byte_offset() {
    let cases: &[(&str, &[u8], usize, u8)] = &[
        ("utf8", b"ab\xff", 2, 0xff),
        ("utf8", "é\u{20ac}".as_bytes().split_at(4).0, 2, 0xe2),
        ("ASCII", b"abc\x80", 3, 0x80),
        ("CP857", b"\x80\xd5", 1, 0xd5),
        ("sjis", b"a\x93\xfa\x81", 3, 0x81),
        ("gb", b"\xc4\xe3\xff", 2, 0xff),
        ("8859-8", b"x\xa1", 1, 0xa1),
    ];
    for &(name, bytes, offset, byte) in cases {
        let codeset = CodeSet::from_name(name).expect(name);
        let error = Error::Decode {
            offset,
            byte,
            codeset: codeset.name(),
        };
        assert_eq!(codeset.decode(bytes, DecodePolicy::Strict), Err(error), "{name}");
        assert!(
            codeset
                .decode(bytes, DecodePolicy::Replace)
                .is_ok_and(|text| text.contains('\u{fffd}')),
            "{name}"
        );
    }
    let cases = [
        ("8859-1", "aé€", 3, '€'),
        ("ASCII", "é", 0, 'é'),
        ("CP437", "ß日", 2, '日'),
        ("sjis", "日本😀", 6, '😀'),
        // The web's Shift_JIS would turn it into a backslash.
        ("sjis", "日¥", 3, '¥'),
    ];
    for (name, text, offset, character) in cases {
        let codeset = CodeSet::from_name(name).expect(name);
        assert_eq!(
            codeset.encode(text),
            Err(Error::Encode {
                offset,
                character,
                codeset: codeset.name()
            }),
            "{name}"
        );
    }
    let column = Error::Decode {
        offset: 3,
        byte: 0x80,
        codeset: "ASCII",
    }
    .in_column(2, "city");
    assert_eq!(
        column.to_string(),
        "column 2 (city): byte 3 (0x80) is not valid in code set ASCII"
    );
}

#[test]
fn locales() {
    let locale = Locale::from_str("EN_us.57372").expect("valid");
    assert_eq!(
        (locale.language(), locale.territory(), locale.codeset_name()),
        ("en", "US", "57372")
    );
    assert_eq!(locale.codeset(), Ok(CodeSet::UTF8));
    assert_eq!(locale.to_string(), "en_US.57372");
    assert_eq!(Locale::from_str("en_us.utf8"), Ok(locale.clone()));
    assert_ne!(Locale::from_str("en_US.8859-1"), Ok(locale));
    assert_eq!(Locale::from_str("en_US.819"), Locale::from_str("en_us.8859-1"));
    let dictionary = Locale::from_str("de_DE.8859-1@dict").expect("valid");
    assert_eq!(
        (dictionary.modifier(), dictionary.codeset()),
        (Some("dict"), Ok(CodeSet::LATIN1))
    );
    assert_eq!(dictionary.to_string(), "de_DE.8859-1@dict");
    assert!(Locale::from_str("zh_cn.GB18030-2000").is_ok_and(|locale| locale.codeset().is_ok()));
    // An unknown code set is still a locale that can be sent to a server.
    assert!(Locale::from_str("ru_RU.KOI-8").is_ok_and(|locale| locale.codeset().is_err()));
    for bad in [
        "",
        "C",
        "en_US",
        "en.utf8",
        "en_US.",
        "en_US.utf8@",
        "en_US.utf 8",
        "en_U/S.utf8",
        "_US.utf8",
    ] {
        assert!(Locale::from_str(bad).is_err(), "{bad}");
    }
}

#[test]
fn new_code_set_overrides() {
    let overrides = CodeSetOverride::parse_list("gbk,8859-1,819:Cp949,ksc,57356").expect("valid");
    assert_eq!(overrides.len(), 2);
    let codec = |locale: &str| {
        Locale::from_str(locale)
            .and_then(|locale| locale.codec(&overrides, DecodePolicy::Strict))
            .map(|c| c.codeset)
    };
    assert_eq!(codec("en_US.8859-1"), CodeSet::from_name("gb"));
    assert_eq!(codec("en_US.819"), CodeSet::from_name("gb"));
    assert_eq!(codec("ko_KR.ksc"), CodeSet::from_name("cp_949"));
    assert_eq!(codec("en_US.utf8"), Ok(CodeSet::UTF8));
    assert_eq!(codec("ru_RU.KOI-8"), Err(Error::CodeSet("KOI-8".to_owned())));
    let unknown = CodeSetOverride::parse_list("windows-1251,KOI-8,57382").expect("valid");
    let koi =
        Locale::from_str("ru_RU.57382").and_then(|locale| locale.codec(&unknown, DecodePolicy::Replace));
    assert_eq!(koi.map(|codec| codec.codeset), CodeSet::from_name("CP1251"));
    for bad in [
        "gbk",
        "gbk,8859-1",
        "gbk,8859-1,x",
        "nonsense,8859-1,819",
        "a,b,c,d",
    ] {
        assert!(CodeSetOverride::parse_list(bad).is_err(), "{bad}");
    }
    assert_eq!(CodeSetOverride::parse_list(""), Ok(Vec::new()));
}

#[test]
fn labels_of_java_and_the_web() {
    let cases = [
        ("ISO8859_1", "8859-1"),
        ("iso-8859-15", "8859-15"),
        ("Cp1252", "CP1252"),
        ("windows-1254", "CP1254"),
        ("MS932", "sjis-s"),
        ("Shift_JIS", "sjis-s"),
        ("EUC-KR", "ksc"),
        ("UTF-8", "utf8"),
        ("GB18030", "GB18030-2000"),
    ];
    for (label, name) in cases {
        assert_eq!(CodeSet::from_label(label), CodeSet::from_name(name), "{label}");
    }
    assert!(CodeSet::from_label("x-nonsense").is_err());
}

#[test]
fn the_default_codec_is_a_servers_default() {
    assert_eq!(TextCodec::default().codeset, CodeSet::LATIN1);
    let lenient = TextCodec::UTF8.with_policy(DecodePolicy::Replace);
    assert_eq!(lenient.decode(b"a\xffb").as_deref(), Ok("a\u{fffd}b"));
}
