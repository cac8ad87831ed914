import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoCodecs

struct OrientationTests {
    @Test(arguments: ["Landscape", "Portrait"], 0...8)
    func `photographs say how they must be turned`(_ name: String, _ value: Int) throws {
        let info = try Shared.info(Fixture.data("exif-orientation/\(name)_\(value).jpg"))
        #expect(info.orientation.rawValue == max(1, value))
        let upright = info.uprightSize
        #expect((upright.width > upright.height) == (name == "Landscape"))
    }

    /// A TIFF structure with one entry, the orientation.
    private func tiff(_ value: UInt8, isBig: Bool, type: UInt8 = 3, directory: UInt8 = 8) -> [UInt8] {
        isBig
            ? [0x4D, 0x4D, 0, 42, 0, 0, 0, directory, 0, 1, 1, 0x12, 0, type, 0, 0, 0, 1, 0, value, 0, 0]
            : [0x49, 0x49, 42, 0, directory, 0, 0, 0, 1, 0, 0x12, 1, type, 0, 1, 0, 0, 0, value, 0, 0, 0]
    }

    private func orientation(_ bytes: [UInt8]) -> Orientation {
        EXIF.orientation(in: bytes.span.bytes, at: 0..<bytes.count)
    }

    @Test(arguments: [true, false], 1...8)
    func `both byte orders are read`(_ isBig: Bool, _ value: Int) {
        let bytes = tiff(UInt8(value), isBig: isBig)
        #expect(orientation(bytes).rawValue == value)
        #expect(orientation(Array("Exif\0\0".utf8) + bytes).rawValue == value)
    }

    @Test(arguments: [0, 9, 255] as [UInt8])
    func `values that EXIF does not have are upright`(_ value: UInt8) {
        #expect(orientation(tiff(value, isBig: true)) == .up)
    }

    @Test func `malformed structures are upright`() {
        let whole = tiff(6, isBig: true)
        #expect(orientation(whole) == .right)
        for count in 0..<20 { #expect(orientation([UInt8](whole.prefix(count))) == .up) }
        #expect(orientation(tiff(6, isBig: true, type: 4)) == .up)
        #expect(orientation(tiff(6, isBig: true, directory: 200)) == .up)
        #expect(orientation([0x4D, 0x4D, 0, 42, 0xFF, 0xFF, 0xFF, 0xFF, 0, 1]) == .up)
        #expect(orientation([UInt8](repeating: 0xFF, count: 64)) == .up)
    }
}
