"""What a server can do, as it answered at login."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["CLIENT_PROTOCOLS_MASK", "ENHANCED_PROTOCOL_CAP", "ServerCapabilities"]

CLIENT_PROTOCOLS_MASK = bytes.fromhex("fffc7ffc3c8caa97")
"""What the driver offers."""

ENHANCED_PROTOCOL_CAP = 316
"""The protocol level that clients ask for at login; the server sends it back."""

# Bits count from the highest bit of the first byte.
BIT_USVER = 2
BIT_LONG_ID_A = 10
BIT_LONG_ID_B = 18
BIT_VARCHAR_VAR_LEN = 13
BIT_DESCRIBE_INPUT = 34
BIT_LVARCHAR_GT_2K = 37
BIT_FOUR_BYTE_OFFSET = 50
BIT_GLS = 51
BIT_NAMED_PARAMETERS = 52
BIT_BIGINT = 54
BIT_SAVEPOINT = 56
BIT_REMOVE_64K_LIMIT = 62
BIT_TWO_GB_FETCH_BUFFER = 63

# On with every server that sends a protocol level.
_ALWAYS = frozenset({0, 2, 3, 4, 49, 51})

# Bits of the forms that the driver reads today.
_NEEDED = {
    BIT_FOUR_BYTE_OFFSET: "4-byte describe offsets",
    BIT_VARCHAR_VAR_LEN: "variable-length VARCHAR",
    BIT_REMOVE_64K_LIMIT: "removal of the 64K limit",
}

_SHOWN = (
    "usver",
    "long_id",
    "varchar_var_len",
    "four_byte_offset",
    "bigint",
    "lvarchar_gt_2k",
    "remove_64k_limit",
    "two_gb_fetch_buffer",
    "gls",
    "describe_input",
    "named_parameters",
    "savepoint",
)


def _decode_bits(mask: bytes) -> set[int]:
    """The numbers of the bits that are on."""
    return {
        8 * position + bit
        for position, byte in enumerate(mask)
        for bit in range(8)
        if byte & (0x80 >> bit)
    }


@dataclass(frozen=True, repr=False)
class ServerCapabilities:
    """The server's capability list and the fields of its login reply."""

    bits: frozenset[int] = field(default_factory=frozenset)
    """Numbers of the capabilities that the server has."""
    raw_mask: bytes = b""
    """The list as it was sent."""
    cap_1: int = 0
    """Protocol level."""
    cap_2: int = 0
    cap_3: int = 0
    server_version: str = ""
    """Version text of the login reply."""
    serial_number: str = ""
    applid_name: str = ""

    @classmethod
    def from_wire(
        cls,
        mask: bytes,
        *,
        cap_1: int = 0,
        cap_2: int = 0,
        cap_3: int = 0,
        server_version: str = "",
        serial_number: str = "",
        applid_name: str = "",
    ) -> ServerCapabilities:
        """Reads the capability list of a server."""
        bits = frozenset(_decode_bits(mask))
        if cap_1:
            bits |= _ALWAYS
        return cls(bits, mask, cap_1, cap_2, cap_3, server_version, serial_number, applid_name)

    def has(self, bit: int) -> bool:
        """Whether the server has the capability of this number."""
        return bit in self.bits

    def violated_assumptions(self) -> list[str]:
        """Usual capabilities that this server lacks, each as a sentence. The driver works without them."""
        return [
            f"the server lacks: {what} (bit {bit})"
            for bit, what in _NEEDED.items()
            if bit not in self.bits
        ]

    @property
    def usver(self) -> bool:
        """Reports itself as a server of the US version."""
        return self.has(BIT_USVER)

    @property
    def long_id(self) -> bool:
        """Names of more than 18 bytes."""
        return self.has(BIT_LONG_ID_A) or self.has(BIT_LONG_ID_B)

    @property
    def varchar_var_len(self) -> bool:
        """VARCHAR without padding in rows."""
        return self.has(BIT_VARCHAR_VAR_LEN)

    @property
    def four_byte_offset(self) -> bool:
        """Wide fields in descriptions of statements."""
        return self.has(BIT_FOUR_BYTE_OFFSET)

    @property
    def bigint(self) -> bool:
        """BIGINT and BIGSERIAL."""
        return self.has(BIT_BIGINT)

    @property
    def lvarchar_gt_2k(self) -> bool:
        """LVARCHAR of more than 2 KB."""
        return self.has(BIT_LVARCHAR_GT_2K)

    @property
    def remove_64k_limit(self) -> bool:
        """Statements of more than 64 KB."""
        return self.has(BIT_REMOVE_64K_LIMIT)

    @property
    def two_gb_fetch_buffer(self) -> bool:
        """Fetch buffers of more than 32 KB."""
        return self.has(BIT_TWO_GB_FETCH_BUFFER)

    @property
    def gls(self) -> bool:
        """Global language support."""
        return self.has(BIT_GLS)

    @property
    def describe_input(self) -> bool:
        """Types of parameters can be asked for."""
        return self.has(BIT_DESCRIBE_INPUT)

    @property
    def named_parameters(self) -> bool:
        """Parameters of routines by name."""
        return self.has(BIT_NAMED_PARAMETERS)

    @property
    def savepoint(self) -> bool:
        """Savepoints."""
        return self.has(BIT_SAVEPOINT)

    @property
    def enhanced_protocol(self) -> bool:
        """Whether the server speaks the protocol level that clients of today ask for."""
        return self.cap_1 == ENHANCED_PROTOCOL_CAP

    def __repr__(self) -> str:
        flags = "|".join(name for name in _SHOWN if getattr(self, name))
        return (
            f"ServerCapabilities(cap_1={self.cap_1}, mask={self.raw_mask.hex()}, "
            f"version={self.server_version!r}, flags={flags})"
        )
