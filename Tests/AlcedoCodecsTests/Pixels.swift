import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation

extension Bitmap {
    /// All the bytes: blue, green, red, alpha.
    var bgra: [UInt8] { withUnsafeBytes { [UInt8]($0) } }

    /// All the bytes as red, green, blue, alpha.
    var rgba: [UInt8] {
        var bytes = bgra
        for index in stride(from: 0, to: bytes.count, by: 4) { bytes.swapAt(index, index + 2) }
        return bytes
    }

    /// Makes a bitmap out of what `pixel` gives, as 0xAARRGGBB.
    static func make(
        _ width: Int,
        _ height: Int,
        _ alpha: Bitmap.Alpha = .opaque,
        pixel: (_ x: Int, _ y: Int) -> UInt32
    ) throws -> Bitmap {
        var builder = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: alpha)
        builder.withUnsafeMutableBytes { buffer in
            for y in 0..<height {
                for x in 0..<width {
                    buffer.storeBytes(of: pixel(x, y), toByteOffset: (y * width + x) * 4, as: UInt32.self)
                }
            }
        }
        return builder.freeze()
    }
}

extension ImageCodec {
    func info(_ bytes: [UInt8], limits: DecodeLimits = DecodeLimits()) throws -> ImageInfo {
        try info(of: bytes.span.bytes, limits: limits)
    }

    func hasAllPixels(_ bytes: [UInt8]) -> Bool {
        hasAllPixels(bytes.span.bytes, limits: DecodeLimits())
    }

    func decode(_ bytes: [UInt8], _ configure: (inout DecodeOptions) -> Void = { _ in }) throws -> Bitmap {
        try decode(bytes.span.bytes, options: DecodeOptions(configure))
    }

    func frames(
        _ bytes: [UInt8],
        _ configure: (inout DecodeOptions) -> Void = { _ in }
    ) throws -> any FrameDecoder {
        try frames(of: bytes.span.bytes, options: DecodeOptions(configure))
    }
}

extension ImageCodec {
    func profile(_ bytes: [UInt8], limits: DecodeLimits = DecodeLimits()) -> [UInt8]? {
        profile(of: bytes.span.bytes, limits: limits)
    }

    func encode(
        _ bitmap: Bitmap,
        as format: EncodedFormat,
        _ configure: (inout EncodeOptions) -> Void = { _ in }
    ) throws -> [UInt8] {
        try encode(bitmap, as: format, options: EncodeOptions(configure))
    }
}

/// What the shared registry makes of arrays, which `#expect` can take apart, unlike spans.
enum Shared {
    static func info(_ bytes: [UInt8]) throws -> ImageInfo {
        try CodecRegistry.shared.info(of: bytes.span.bytes)
    }

    static func decode(
        _ bytes: [UInt8],
        _ configure: (inout DecodeOptions) -> Void = { _ in }
    ) throws -> Bitmap {
        try CodecRegistry.shared.decode(bytes.span.bytes, options: DecodeOptions(configure))
    }

    static func encode(
        _ bitmap: Bitmap, as format: EncodedFormat, _ options: EncodeOptions = EncodeOptions()
    ) throws -> [UInt8] {
        try CodecRegistry.shared.encode(bitmap, as: format, options: options)
    }

    static func memory(_ bytes: [UInt8], _ configure: (inout DecodeOptions) -> Void) throws -> DecodeMemory {
        try CodecRegistry.shared.memory(
            of: bytes.span.bytes, info: info(bytes), options: DecodeOptions(configure))
    }

    static func frames(_ bytes: [UInt8]) throws -> any FrameDecoder {
        try CodecRegistry.shared.frames(of: bytes.span.bytes)
    }

    static func profile(_ bytes: [UInt8], limits: DecodeLimits = DecodeLimits()) -> [UInt8]? {
        CodecRegistry.shared.profile(of: bytes.span.bytes, limits: limits)
    }
}

/// The largest difference between two bytes at the same place, or nil if the lengths differ.
func largestDifference(_ one: [UInt8], _ other: [UInt8]) -> Int? {
    guard one.count == other.count else { return nil }
    return zip(one, other).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
}

/// Every whole number in a JSON file of numbers.
func numbers(inFixture path: String) throws -> [Int] {
    var numbers: [Int] = []
    var current: Int?
    for byte in try Fixture.data(path) {
        if byte >= 48, byte <= 57 {
            current = (current ?? 0) * 10 + Int(byte) - 48
        } else if let number = current {
            numbers.append(number)
            current = nil
        }
    }
    return numbers
}
