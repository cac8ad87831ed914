import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation

@testable import Alcedo

/// Small files that promise, or unpack to, much.
enum Bombs {
    static let questions: [@Sendable ([UInt8]) throws -> Void] = [
        { _ = try codecs.info(of: $0.span.bytes) },
        { _ = try codecs.decode($0.span.bytes) },
        {
            _ = try codecs.decode(
                $0.span.bytes, options: .init { $0.atLeast = PixelSize(width: 9, height: 9) })
        },
        { _ = try codecs.frames(of: $0.span.bytes) },
    ]

    static func png(side: Int) -> [UInt8] {
        let rows = deflated(zeros: side * (side / 8 + 1))
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", big(side) + big(side) + [1, 0, 0, 0, 0]) + chunk("IDAT", rows) + chunk("IEND", [])
    }

    static func jpeg(side: Int) throws -> [UInt8] {
        var bytes = try Fixture.data("made/odd-7x9.jpg")
        guard let frame = bytes.firstRange(of: [0xFF, 0xC0])?.lowerBound else { return [] }
        bytes.replaceSubrange(frame + 5..<frame + 9, with: Array(big(side)[2...]) + Array(big(side)[2...]))
        return bytes
    }

    static func gif(side: Int) -> [UInt8] {
        let size = Array(little(side)[..<2] + little(side)[..<2])
        let header: [UInt8] = Array("GIF89a".utf8) + size + [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        return header + [0x2C, 0, 0, 0, 0] + size + [0, 2, 2, 0x44, 1, 0, 0x3B]
    }

    /// Frames of one pixel on a large canvas.
    static func animation(side: Int, frames: Int) -> [UInt8] {
        let size = Array(little(side)[..<2] + little(side)[..<2])
        // One pixel, of one colour and the other by turns.
        let start: [UInt8] = [0x21, 0xF9, 4, 4, 0, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2]
        let colors: [[UInt8]] = [[0x44, 1, 0], [0x4C, 1, 0]]
        let images: [UInt8] = (0..<frames).flatMap { start + colors[$0 % 2] }
        let header: [UInt8] = Array("GIF89a".utf8) + size + [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        return header + images + [0x3B]
    }

    static func webp(side: Int, frames: Int) -> [UInt8] {
        let edge = Array(little(side - 1)[..<3])
        let canvas = riff("VP8X", [2, 0, 0, 0] + edge + edge)
        let header: [UInt8] = [0x2F] + little((side - 1) | (side - 1) << 14)
        let place: [UInt8] = [0, 0, 0, 0, 0, 0] + edge + edge + [10, 0, 0, 0]
        let frame = riff("ANMF", place + riff("VP8L", header + [0, 0, 0]))
        let chunks = canvas + riff("ANIM", [0, 0, 0, 0, 0, 0]) + (0..<frames).flatMap { _ in frame }
        return Array("RIFF".utf8) + little(chunks.count + 4) + Array("WEBP".utf8) + chunks
    }

    /// None without the trait.
    static func avif(side: Int) throws -> [[UInt8]] {
        var bytes = try Fixture.data("heif/deep.avif")
        guard codecs.codec(for: bytes.span.bytes) != nil else { return [] }
        var start = 0
        while let found = bytes[start...].firstRange(of: Array("ispe".utf8)) {
            bytes.replaceSubrange(found.upperBound + 4..<found.upperBound + 12, with: big(side) + big(side))
            start = found.upperBound
        }
        return [bytes]
    }

    /// A codestream with a square size in 30 bits and all other metadata as by default (ISO/IEC 18181-1, D.2).
    ///
    /// None without the trait.
    static func jxl(side: Int) -> [[UInt8]] {
        let bits = 0b110 | (side - 1) << 3 | 1 << 33 | 1 << 36
        let bytes = [0xFF, 0x0A] + little(bits) + little(bits >> 32) + [UInt8](repeating: 0, count: 64)
        return codecs.codec(for: bytes.span.bytes) == nil ? [] : [bytes]
    }

    /// One strip of a grey square; none without the trait.
    static func tiff(side: Int) -> [[UInt8]] {
        let entries = [
            (256, side), (257, side), (258, 8), (259, 1), (262, 1), (273, 8), (278, side), (279, 9),
        ]
        var bytes = Array("II*\0".utf8) + little(8) + [UInt8(entries.count), 0]
        for (tag, value) in entries { bytes += little(tag | 4 << 16) + little(1) + little(value) }
        bytes += little(0) + [UInt8](repeating: 0, count: 64)
        return codecs.codec(for: bytes.span.bytes) == nil ? [] : [bytes]
    }

    /// The markers SOC and SIZ of a square with three components in one tile; none without the trait.
    static func jp2(side: Int) -> [[UInt8]] {
        let sizes = [side, side, 0, 0, side, side, 0, 0].flatMap(big)
        let bytes =
            [0xFF, 0x4F, 0xFF, 0x51, 0, 47, 0, 0] + sizes + [0, 3, 7, 1, 1, 7, 1, 1, 7, 1, 1]
            + [UInt8](repeating: 0, count: 64)
        return codecs.codec(for: bytes.span.bytes) == nil ? [] : [bytes]
    }

    static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + content
        return big(content.count) + body + big(Int(~body.reduce(UInt32.max, crc)))
    }

    /// A zlib stream of one block with fixed codes: a zero, and that it is to be repeated.
    static func deflated(zeros count: Int) -> [UInt8] {
        var (bytes, buffer, filled): ([UInt8], UInt32, UInt32) = ([0x78, 0x01], 0, 0)
        func put(_ bits: UInt32, _ width: UInt32) {
            buffer |= bits << filled
            filled += width
            while filled >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: buffer))
                buffer >>= 8
                filled -= 8
            }
        }
        put(0b011, 3)
        put(0b0000_1100, 8)
        // Code 285, a length of 258, and a distance of 1; codes are written from their first bit on.
        for _ in 0..<(count - 1) / 258 { put(0b00000_1010_0011, 13) }
        for _ in 0..<(count - 1) % 258 { put(0b0000_1100, 8) }
        put(0, 7)
        if filled > 0 { put(0, 8 - filled) }
        return bytes + big((count % 65_521) << 16 | 1)
    }

    private static func crc(_ sum: UInt32, _ byte: UInt8) -> UInt32 {
        crcs[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8
    }

    /// The checksums of single bytes.
    private static let crcs = (0..<256 as Range<UInt32>).map { byte in
        (0..<8).reduce(byte) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }

    private static func riff(_ name: String, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + little(content.count) + content + (content.count % 2 == 1 ? [0] : [])
    }

    private static func big(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian) { Array($0) }
    }

    private static func little(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).littleEndian) { Array($0) }
    }
}
