"""PDFs that tests make for themselves, object by object."""

import hashlib
import struct
import zlib

PADDING = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
FILE_ID = bytes(range(16))
PIXEL = b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8"
LINE = "This line of the report is long enough to be counted as a sentence of its own."


def text_pdf(*pages: str, info: str = "", owner_password: str = "", user_password: str = "") -> bytes:
    """A page of Helvetica for each text; encrypted (RC4, 128 bits) where a password is given."""
    shown = [f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode() for text in pages]
    return page_tree(shown, info=info, owner_password=owner_password, user_password=user_password)


def image_pdf(pages: int) -> bytes:
    """Pages that show an image and nothing else, as a scanner makes them."""
    return page_tree([b"q 500 0 0 700 50 50 cm /Im1 Do Q"] * pages)


def bomb_pdf(megabytes: int) -> bytes:
    """A small file with one page whose content inflates to that size."""
    engine = zlib.compressobj(9)
    piece = b"BT /F1 12 Tf (x) Tj ET\n" * 45_590  # a megabyte
    packed = b"".join(engine.compress(piece) for _ in range(megabytes)) + engine.flush()
    return page_tree([zlib.compress(packed, 9)], filters="/Filter [/FlateDecode /FlateDecode] ")


def page_tree(
    contents: list[bytes], *, filters: str = "", info: str = "", owner_password: str = "", user_password: str = ""
) -> bytes:
    """A document whose pages have these content streams."""
    first = 5  # the objects before are catalogue, pages, font and image
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(contents)))
    objects: list[tuple[str, bytes | None]] = [
        ("<< /Type /Catalog /Pages 2 0 R >>", None),
        (f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>", None),
        ("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", None),
        (PIXEL.decode() + " /Length 1 >>", b"\x80"),
    ]
    for number, content in enumerate(contents):
        page = (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> "
            f"/XObject << /Im1 4 0 R >> >> /Contents {first + 2 * number + 1} 0 R >>"
        )
        objects += [(page, None), (f"<< {filters}/Length {len(content)} >>", content)]
    if info:
        objects.append((f"<< {info} >>", None))
    extra = f"/Info {len(objects)} 0 R " if info else ""
    return written(objects, extra, owner_password, user_password)


def written(
    objects: list[tuple[str, bytes | None]], extra: str = "", owner_password: str = "", user_password: str = ""
) -> bytes:
    """The file of numbered objects (a dictionary and its stream, if any); object 1 is the catalogue."""
    objects = list(objects)
    key = None
    if owner_password or user_password:
        security, key = _security(owner_password, user_password)
        objects.append((security, None))
        extra += f"/Encrypt {len(objects)} 0 R "
    out = bytearray(b"%PDF-1.6\n")
    places = []
    for number, (dictionary, stream) in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{dictionary}\n".encode()
        if stream is not None:
            out += b"stream\n" + (rc4(_object_key(key, number), stream) if key else stream) + b"\nendstream\n"
        out += b"endobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    ids = f"/ID [<{FILE_ID.hex()}> <{FILE_ID.hex()}>]"
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {extra}{ids} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def _security(owner: str, user: str) -> tuple[str, bytes]:
    """The standard security handler, revision 3: its dictionary and the key of the file."""
    permissions = struct.pack("<i", -4)
    key = _hashed((owner or user).encode() + PADDING, 51)
    entry_o = _rounds(key, (user.encode() + PADDING)[:32])
    file_key = _hashed((user.encode() + PADDING)[:32] + entry_o + permissions + FILE_ID, 51, first=True)
    entry_u = _rounds(file_key, hashlib.md5(PADDING + FILE_ID).digest()) + bytes(16)
    dictionary = f"<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <{entry_o.hex()}> /U <{entry_u.hex()}> >>"
    return dictionary, file_key


def _hashed(data: bytes, times: int, *, first: bool = False) -> bytes:
    digest = hashlib.md5(data if first else data[:32]).digest()
    for _ in range(times - 1):
        digest = hashlib.md5(digest).digest()
    return digest


def _rounds(key: bytes, data: bytes) -> bytes:
    for number in range(20):
        data = rc4(bytes(byte ^ number for byte in key), data)
    return data


def _object_key(key: bytes, number: int) -> bytes:
    return hashlib.md5(key + struct.pack("<I", number)[:3] + b"\0\0").digest()
