//! Upper halves (bytes 80-ff) of the single-byte code sets that `encoding_rs` lacks, as text in byte order.
//!
//! U+FFFD marks a byte without character. Checked against Python's codecs of the same names.

/// Code points of bytes 80-ff.
pub(super) type UpperHalf = [u16; 128];

/// Expands a text of 128 characters of the basic plane.
const fn upper_half(text: &str) -> UpperHalf {
    let bytes = text.as_bytes();
    let mut table = [0xfffd; 128];
    let (mut at, mut index) = (0, 0);
    while index < 128 {
        let lead = bytes[at] as u16;
        if lead < 0x80 {
            table[index] = lead;
            at += 1;
        } else if lead < 0xe0 {
            table[index] = (lead & 0x1f) << 6 | (bytes[at + 1] & 0x3f) as u16;
            at += 2;
        } else {
            table[index] =
                (lead & 0x0f) << 12 | ((bytes[at + 1] & 0x3f) as u16) << 6 | (bytes[at + 2] & 0x3f) as u16;
            at += 3;
        }
        index += 1;
    }
    assert!(at == bytes.len(), "an upper half has 128 characters");
    table
}

/// 8859-9
pub(super) static ISO_8859_9: UpperHalf = upper_half(
    "\
     \u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8a}\u{8b}\u{8c}\u{8d}\u{8e}\u{8f}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9a}\u{9b}\u{9c}\u{9d}\u{9e}\u{9f}\
     \u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯°±²³´µ¶·¸¹º»¼½¾¿\
     ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏĞÑÒÓÔÕÖ×ØÙÚÛÜİŞß\
     àáâãäåæçèéêëìíîïğñòóôõö÷øùúûüışÿ",
);

/// CP437
pub(super) static CP437: UpperHalf = upper_half(
    "\
     ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒ\
     áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
     └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
     αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}",
);

/// CP850
pub(super) static CP850: UpperHalf = upper_half(
    "\
     ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒ\
     áíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
     └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀\
     ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}",
);

/// CP852
pub(super) static CP852: UpperHalf = upper_half(
    "\
     ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×č\
     áíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐\
     └┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀\
     ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{ad}˝˛ˇ˘§÷¸°¨˙űŘř■\u{a0}",
);

/// CP857
pub(super) static CP857: UpperHalf = upper_half(
    "\
     ÇüéâäàåçêëèïîıÄÅÉæÆôöòûùİÖÜø£ØŞş\
     áíóúñÑĞğ¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
     └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ºªÊËÈ\u{fffd}ÍÎÏ┘┌█▄¦Ì▀\
     ÓßÔÒõÕµ\u{fffd}×ÚÛÙìÿ¯´\u{ad}±\u{fffd}¾¶§÷¸°¨·¹³²■\u{a0}",
);

/// CP858
pub(super) static CP858: UpperHalf = upper_half(
    "\
     ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒ\
     áíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
     └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈ€ÍÎÏ┘┌█▄¦Ì▀\
     ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}",
);

/// CP864
pub(super) static CP864: UpperHalf = upper_half(
    "\
     °·∙√▒─│┼┤┬├┴┐┌└┘β∞φ±½¼≈«»\u{fef7}\u{fef8}\u{fffd}\u{fffd}\u{fefb}\u{fefc}\u{fffd}\
     \u{a0}\u{ad}\u{fe82}£¤\u{fe84}\u{fffd}\u{fffd}\u{fe8e}\u{fe8f}\u{fe95}\u{fe99}\u{60c}\u{fe9d}\u{fea1}\u{fea5}\u{660}\u{661}\u{662}\u{663}\u{664}\u{665}\u{666}\u{667}\u{668}\u{669}\u{fed1}\u{61b}\u{feb1}\u{feb5}\u{feb9}\u{61f}\
     ¢\u{fe80}\u{fe81}\u{fe83}\u{fe85}\u{feca}\u{fe8b}\u{fe8d}\u{fe91}\u{fe93}\u{fe97}\u{fe9b}\u{fe9f}\u{fea3}\u{fea7}\u{fea9}\u{feab}\u{fead}\u{feaf}\u{feb3}\u{feb7}\u{febb}\u{febf}\u{fec1}\u{fec5}\u{fecb}\u{fecf}¦¬÷×\u{fec9}\
     \u{640}\u{fed3}\u{fed7}\u{fedb}\u{fedf}\u{fee3}\u{fee7}\u{feeb}\u{feed}\u{feef}\u{fef3}\u{febd}\u{fecc}\u{fece}\u{fecd}\u{fee1}\u{fe7d}\u{651}\u{fee5}\u{fee9}\u{feec}\u{fef0}\u{fef2}\u{fed0}\u{fed5}\u{fef5}\u{fef6}\u{fedd}\u{fed9}\u{fef1}■\u{fffd}",
);
