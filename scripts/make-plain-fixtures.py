"""Writes the QOI, PNM and TGA files of Tests/Fixtures/plain: make-plain-fixtures.py FOLDER

All show the same 13 × 7 pixels, whose samples the tests calculate: as sample() below, some with alpha.
"""

import pathlib
import struct
import sys

WIDTH, HEIGHT = 13, 7


def sample(x, y):
    """Red, green, blue and alpha, with runs, small steps and large ones."""
    if x in (4, 5, 6):
        return (200, 100, 50, 255 - 20 * y)
    return (x * 19, y * 36, (x * y * 7) % 256, 255 - 20 * y)


PIXELS = [sample(x, y) for y in range(HEIGHT) for x in range(WIDTH)]


def qoi(has_alpha):
    data = b"qoif" + struct.pack(">IIBB", WIDTH, HEIGHT, 4 if has_alpha else 3, 0)
    last, recent, run = (0, 0, 0, 255), [(0, 0, 0, 0)] * 64, 0
    for pixel in PIXELS + [None]:
        if pixel and not has_alpha:
            pixel = pixel[:3] + (255,)
        if pixel == last and run < 62:
            run += 1
            continue
        if run:
            data += bytes([0xC0 | run - 1])
            run = 0
        if pixel is None:
            break
        index = sum(value * factor for value, factor in zip(pixel, (3, 5, 7, 11))) % 64
        red, green, blue = ((a - b + 128) % 256 - 128 for a, b in zip(pixel[:3], last[:3]))
        if recent[index] == pixel:
            data += bytes([index])
        elif pixel[3] != last[3]:
            data += bytes([0xFF, *pixel])
        elif all(-2 <= step <= 1 for step in (red, green, blue)):
            data += bytes([0x40 | red + 2 << 4 | green + 2 << 2 | blue + 2])
        elif -32 <= green <= 31 and all(-8 <= step - green <= 7 for step in (red, blue)):
            data += bytes([0x80 | green + 32, red - green + 8 << 4 | blue - green + 8])
        else:
            data += bytes([0xFE, *pixel[:3]])
        recent[index] = last = pixel
    return data + bytes(7) + b"\x01"


def grey(pixel):
    """The sample of the grey pictures: the green one."""
    return pixel[1]


def is_black(pixel):
    return pixel[0] < 128


def pnm(kind):
    head = f"P{kind}\n# 13 by 7\n{WIDTH} {HEIGHT}\n".encode()
    rows = [PIXELS[y * WIDTH:(y + 1) * WIDTH] for y in range(HEIGHT)]
    if kind == 1:
        return head + b"\n".join(b"".join(b"1" if is_black(p) else b"0" for p in row) for row in rows) + b"\n"
    if kind == 4:
        def packed(row):
            bits = "".join("1" if is_black(p) else "0" for p in row).ljust((WIDTH + 7) // 8 * 8, "0")
            return int(bits, 2).to_bytes((WIDTH + 7) // 8, "big")
        return head + b"".join(packed(row) for row in rows)
    samples = [[grey(p)] if kind % 3 == 2 else list(p[:3]) for p in PIXELS]
    if kind < 4:
        return head + b"255\n" + b"\n".join(b" ".join(b"%d" % s for s in pixel) for pixel in samples) + b"\n"
    return head + b"255\n" + bytes(s for pixel in samples for s in pixel)


def deep_ppm():
    """16 bits a sample, of which the upper 8 are those of the picture."""
    return f"P6 {WIDTH} {HEIGHT} 65535\n".encode() + b"".join(
        struct.pack(">3H", *(s * 257 for s in pixel[:3])) for pixel in PIXELS)


def pam(kind, depth):
    values = {2: lambda p: (grey(p), p[3]), 4: lambda p: p}[depth]
    head = f"P7\nWIDTH {WIDTH}\nHEIGHT {HEIGHT}\nDEPTH {depth}\nMAXVAL 255\n# made\nTUPLTYPE {kind}\nENDHDR\n"
    return head.encode() + bytes(s for p in PIXELS for s in values(p))


def tga(kind, bits, flags, name=b""):
    """Kinds 1, 2 and 3 of the format, 9 to 11 with run lengths; flags are 32 for top down, 16 for mirrored."""
    colors = sorted({p[:3] for p in PIXELS}) if kind % 8 == 1 else []

    def stored(pixel):
        red, green, blue, alpha = pixel
        if colors:
            return bytes([colors.index(pixel[:3]) + 3])
        if kind % 8 == 3:
            return bytes([grey(pixel)])
        if bits == 16:
            return struct.pack("<H", (1 if alpha > 200 else 0) << 15 | red >> 3 << 10 | green >> 3 << 5 | blue >> 3)
        return bytes([blue, green, red, alpha])[:bits // 8]

    # The palette starts with the number 3.
    head = struct.pack("<BBBHHBHHHHBB", len(name), bool(colors), kind, 3 if colors else 0, len(colors),
                       24 if colors else 0, 0, 0, WIDTH, HEIGHT, bits, flags)
    rows = [PIXELS[y * WIDTH:(y + 1) * WIDTH] for y in range(HEIGHT)]
    if flags & 16:
        rows = [row[::-1] for row in rows]
    if not flags & 32:
        rows = rows[::-1]
    data = [stored(pixel) for row in rows for pixel in row]
    body = b""
    if kind > 8:
        # Packets cross the ends of rows, as old programs write them.
        while data:
            run = 1
            while run < min(128, len(data)) and data[run] == data[0]:
                run += 1
            if run > 1:
                body += bytes([0x80 | run - 1]) + data[0]
            else:
                while run < min(20, len(data)) and data[run] != data[run - 1]:
                    run += 1
                body += bytes([run - 1]) + b"".join(data[:run])
            data = data[run:]
    else:
        body = b"".join(data)
    return head + name + b"".join(bytes(color[::-1]) for color in colors) + body


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    files = {"rgb.qoi": qoi(False), "rgba.qoi": qoi(True), "deep.ppm": deep_ppm(), "rgba.pam": pam("RGB_ALPHA", 4),
             "grey-alpha.pam": pam("GRAYSCALE_ALPHA", 2), "text.pbm": pnm(1), "text.pgm": pnm(2), "text.ppm": pnm(3),
             "bytes.pbm": pnm(4), "bytes.pgm": pnm(5), "bytes.ppm": pnm(6), "rgb.tga": tga(2, 24, 0, b"a name"),
             "rgba.tga": tga(2, 32, 40), "five-bits.tga": tga(2, 16, 33), "mirrored.tga": tga(2, 24, 16),
             "palette.tga": tga(1, 8, 0), "grey.tga": tga(3, 8, 32), "runs.tga": tga(10, 24, 0),
             "runs-rgba.tga": tga(10, 32, 8), "runs-palette.tga": tga(9, 8, 32), "runs-grey.tga": tga(11, 8, 0)}
    for name, data in files.items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
