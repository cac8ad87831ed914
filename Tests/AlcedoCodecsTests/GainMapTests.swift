import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

struct `Gain maps` {
    private let codec = JPEGCodec()
    private let picture: [UInt8]
    private let map: [UInt8]
    private var parameters = GainMapParameters()
    private static let space = ColorSpace.codePoints(primaries: 9, transfer: 16)

    init() throws {
        let colors = try Bitmap.make(64, 48) { x, y in
            0xFF00_0000 | UInt32(40 + x * 3) << 16 | UInt32(60 + y * 2) << 8 | UInt32(200 - x * 2)
        }
        let gains = try Bitmap.make(16, 12) { x, y in
            0xFF00_0000 | UInt32(x * 16) << 16 | UInt32(y * 20) << 8 | UInt32(255 - x * 12)
        }
        picture = try codec.encode(colors, as: .jpeg, options: EncodeOptions(quality: 1))
        map = try codec.encode(gains, as: .jpeg, options: EncodeOptions(quality: 1))
        parameters.least = SIMD3(0, -0.5, 0.25)
        parameters.most = SIMD3(2, 1.5, 3)
        parameters.gamma = SIMD3(1, 1.4, 0.8)
        parameters.headroom = (0.25, 3)
    }

    private func decode(_ bytes: [UInt8], _ retention: ColorRetention) throws -> Bitmap {
        try codec.decode(bytes.span.bytes, options: DecodeOptions { $0.colorRetention = retention })
    }

    private func gainMap(in bytes: [UInt8]) -> JPEGGainMap? {
        JPEGGainMap(bytes.span.bytes, limits: DecodeLimits())
    }

    /// The formula of ISO 21496-1, and PQ's (ITU-R BT.2100), for one pixel.
    private func exact(_ color: [Double], _ gain: [Double]) -> [Double] {
        let light = (0..<3).map { channel -> Double in
            let value = color[channel] / 255
            let own: Double = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
            let share: Double = pow(gain[channel] / 255, 1 / parameters.gamma[channel])
            let least = parameters.least[channel]
            let boost: Double = least + (parameters.most[channel] - least) * share
            return (own + parameters.baseOffset[channel]) * exp2(boost) - parameters.offset[channel]
        }
        // From BT.709 to BT.2020 (ITU-R BT.2087).
        let matrix: [SIMD3<Double>] = [
            SIMD3(0.6274, 0.3293, 0.0433), SIMD3(0.0691, 0.9195, 0.0114), SIMD3(0.0164, 0.0880, 0.8956),
        ]
        return matrix.map { row -> Double in
            let share: Double = max(0, (row * SIMD3(light)).sum()) * 203 / 10_000
            let power: Double = pow(share, 1305 / 8192.0)
            let upper: Double = 107 / 128.0 + 2413 / 128.0 * power
            let lower: Double = 1 + 2392 / 128.0 * power
            return pow(upper / lower, 2523 / 32.0)
        }
    }

    /// The samples of the map at a pixel, between the centres of those that cover 4 × 4 pixels each.
    private func gain(_ x: Int, _ y: Int, in samples: [UInt8]) -> [Double] {
        let column: Double = min(max((Double(x) - 1.5) / 4, 0), 15)
        let row: Double = min(max((Double(y) - 1.5) / 4, 0), 11)
        let (left, top) = (Int(column), Int(row))
        let (right, down) = (column - Double(left), row - Double(top))
        return (0..<3).map { channel -> Double in
            func at(_ x: Int, _ y: Int) -> Double {
                let index = (min(y, 11) * 16 + min(x, 15)) * 4
                return Double(samples[index + channel])
            }
            let above: Double = at(left, top) * (1 - right) + at(left + 1, top) * right
            let below: Double = at(left, top + 1) * (1 - right) + at(left + 1, top + 1) * right
            return above * (1 - down) + below * down
        }
    }

    @Test func `a gain map multiplies the light of its picture`() throws {
        let file = parameters.file(of: picture, map: map)
        let bright = try decode(file, .hdr)
        #expect(bright.colorSpace == Self.space && bright.size == PixelSize(width: 64, height: 48))
        let (colors, gains) = (try decode(picture, .standard).rgba, try decode(map, .standard).rgba)
        let samples = try #require(bright.withDeepSamples { Array($0) })
        var worst = 0.0
        for index in 0..<48 * 64 {
            let color = (0..<3).map { Double(colors[index * 4 + $0]) }
            let levels = exact(color, gain(index % 64, index / 64, in: gains))
            for channel in 0..<3 {
                worst = max(worst, abs(levels[channel] * 65535 - Double(samples[index * 4 + channel])))
            }
        }
        #expect(worst < 40, "\(worst) of 65,535")
    }

    @Test func `a gain map counts only where HDR is asked for`() throws {
        let file = parameters.file(of: picture, map: map)
        for retention in [ColorRetention.standard, .full] {
            #expect(try decode(file, retention).hasSamePixels(as: decode(picture, retention)))
        }
        // Without a map, and while an image loads.
        #expect(try !decode(picture, .hdr).isDeep)
        let half = Array(file.prefix(picture.count))
        let options = DecodeOptions { ($0.colorRetention, $0.allowsTruncation) = (.hdr, true) }
        #expect(try !codec.decode(half.span.bytes, options: options).isDeep)
    }

    @Test func `a gain map is applied to reduced pictures, and within the estimated memory`() throws {
        let large = try Bitmap.make(640, 480) { x, y in
            0xFF80_0000 | UInt32(x / 4) << 8 | UInt32(y / 4)
        }
        let file = parameters.file(
            of: try codec.encode(large, as: .jpeg, options: EncodeOptions(quality: 0.95)), map: map)
        let whole = try decode(file, .hdr)
        let small = try codec.decode(
            file.span.bytes,
            options: DecodeOptions {
                ($0.colorRetention, $0.atLeast) = (.hdr, PixelSize(width: 80, height: 60))
            })
        #expect(small.size == PixelSize(width: 80, height: 60) && small.colorSpace == Self.space)
        for (x, y) in [(0, 0), (40, 30), (79, 59), (10, 50)] {
            let (near, far) = ((y * 80 + x) * 4, ((y * 8 + 4) * 640 + x * 8 + 4) * 4)
            let one = try #require(small.withDeepSamples { Double($0[near]) })
            let other = try #require(whole.withDeepSamples { Double($0[far]) })
            #expect(abs(one - other) < 800, "\(one) and \(other) at \(x), \(y)")
        }
        let info = try codec.info(file)
        let memory = codec.memory(
            of: file.span.bytes, info: info, options: DecodeOptions { $0.colorRetention = .hdr })
        #expect(memory.result == 640 * 480 * 8 && memory.beside > 640 * 480 * 8)
    }

    @Test func `a gain map is described by ISO 21496-1 and by XMP alike`() throws {
        let file = parameters.file(of: picture, map: map)
        let found = try #require(gainMap(in: file))
        #expect(found.size == PixelSize(width: 16, height: 12))
        #expect(GainMapParameters(iso: parameters.iso) == found.parameters)
        for other in [found.parameters, try #require(GainMapParameters(xmp: parameters.xmp))] {
            for path in [\GainMapParameters.least, \.most, \.gamma, \.baseOffset, \.offset] {
                let difference = other[keyPath: path] - parameters[keyPath: path]
                #expect(difference.max() < 1e-5 && difference.min() > -1e-5)
            }
            #expect(other.headroom.least == 0.25 && other.headroom.most == 3)
        }
        #expect(file.firstRange(of: Array("Item:Length".utf8)) != nil)
        #expect(GainMapFile(found, in: file.span.bytes).jpeg == map)
    }

    @Test func `a gain map of another program is found, with one number for all channels`() throws {
        let file = try Fixture.data("metadata/gain-map.jpg")
        let found = try #require(gainMap(in: file))
        #expect(found.size == PixelSize(width: 16, height: 12))
        #expect(found.parameters.most == SIMD3(repeating: 2) && found.parameters.headroom.most == 2)
        #expect(try decode(file, .hdr).colorSpace == Self.space)
    }

    @Test func `a gain map is written beside metadata that is kept`() throws {
        let source = try Fixture.data("metadata/gain-map.jpg")
        var blocks = MetadataBlocks(of: source.span.bytes, format: .jpeg, limit: 1 << 20)
        blocks.gainMap = GainMapFile(jpeg: map, parameters: parameters)
        for (policy, isKept) in [
            (MetadataPolicy.all, true), (.allButLocation, true), (.copyright, false), (.none, false),
        ] {
            let kept = blocks.kept(by: policy, orientation: .up)
            let file = kept.embedded(in: picture, format: .jpeg)
            #expect((gainMap(in: file) != nil) == isKept)
            #expect((file.firstRange(of: Array("hdrgm".utf8)) != nil) == isKept)
            #expect(try decode(file, .standard).hasSamePixels(as: decode(picture, .standard)))
            #expect(kept.embedded(in: picture, format: .gif) == picture)
        }
    }

    @Test func `XMP that fills its segment stays as it is beside a gain map`() throws {
        let start = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/">\
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"></rdf:RDF></x:xmpmeta>
            """
        let xmp = Array((start + String(repeating: " ", count: 65_400 - start.utf8.count)).utf8)
        let file = parameters.file(of: picture, map: map, metadata: MetadataBlocks(xmp: xmp))
        #expect(MetadataBlocks(of: file.span.bytes, format: .jpeg, limit: 1 << 20).xmp == xmp)
        #expect(gainMap(in: file) != nil)
    }

    // MARK: - Colour spaces

    /// The pixels of a JPEG in another one, which says that they are in Display P3.
    private func inDisplayP3(_ bytes: [UInt8]) throws -> [UInt8] {
        var options = EncodeOptions(quality: 1)
        options.profile = ColorSpace.displayP3.profile
        return try codec.encode(decode(bytes, .standard), as: .jpeg, options: options)
    }

    @Test func `a gain map has samples and no colours, whatever its profile says`() throws {
        let file = parameters.file(of: picture, map: try inDisplayP3(map))
        let found = try #require(gainMap(in: file))
        let plain = GainMapFile(found, in: file.span.bytes).jpeg
        let bright = try decode(parameters.file(of: picture, map: plain), .hdr)
        #expect(try decode(file, .hdr).hasSamePixels(as: bright))
    }

    @Test func `a gain map for light in another space than the picture's is none`() throws {
        var other = parameters
        other.isInPictureSpace = false
        #expect(GainMapParameters(iso: other.iso) == other)
        let colors = try inDisplayP3(picture)
        #expect(try #require(gainMap(in: parameters.file(of: colors, map: map))).needsColorSpace)
        #expect(gainMap(in: other.file(of: colors, map: map)) == nil)
        // Without a profile there is one space.
        #expect(try !#require(gainMap(in: other.file(of: picture, map: map))).needsColorSpace)
    }

    // MARK: - Bytes that lie

    @Test func `a gain map that ends too early or is damaged leaves the picture as it is`() throws {
        let file = parameters.file(of: picture, map: map)
        let plain = try decode(picture, .full)
        let start = file.count - map.count
        for count in stride(from: start, to: file.count, by: 97) {
            let bitmap = try decode(Array(file.prefix(count)), .hdr)
            #expect(bitmap.hasSamePixels(as: plain), "\(count) bytes")
        }
        let list = try #require(file.firstRange(of: Array("MPF\0".utf8))).upperBound
        var generator = SeededGenerator(seed: 7)
        var unapplied = 0
        for _ in 0..<60 {
            var damaged = file
            for _ in 0..<4 {
                // The list of pictures, and what the map says about itself.
                damaged[Int.random(in: list..<list + 82, using: &generator)] = .random(
                    in: 0...255, using: &generator)
                let place = Int.random(in: 20..<min(1100, map.count), using: &generator)
                damaged[start + place] = UInt8.random(in: 0...255, using: &generator)
            }
            let bitmap = try decode(damaged, .hdr)
            unapplied += bitmap.isDeep ? 0 : 1
            #expect(bitmap.isDeep && bitmap.size == plain.size || bitmap.hasSamePixels(as: plain))
        }
        #expect(unapplied > 0)
    }

    @Test func `a gain map that is larger than its picture, or is the picture, is none`() throws {
        #expect(gainMap(in: parameters.file(of: map, map: picture)) == nil)
        #expect(try !decode(parameters.file(of: map, map: picture), .hdr).isDeep)
        // The same size is the most.
        #expect(gainMap(in: parameters.file(of: picture, map: picture)) != nil)
        var loop = parameters.file(of: picture, map: map)
        let list = try #require(loop.firstRange(of: Array("MPF\0".utf8))).upperBound
        // The second entry's offset: the start of the list itself, and a place before the file's start.
        for offset: [UInt8] in [[0, 0, 0, 0], [255, 255, 255, 0], [0x7F, 255, 255, 255]] {
            loop.replaceSubrange(list + 50 + 24..<list + 50 + 28, with: offset)
            #expect(gainMap(in: loop) == nil)
        }
    }

    @Test(arguments: ["nan", "inf", "1e300", "", "x", "-99"])
    func `a gain map with numbers that make no sense is none`(number: String) throws {
        for name in ["GainMapMax", "Gamma", "OffsetSDR"] {
            let most = name == "GainMapMax" ? "" : #"hdrgm:GainMapMax="1""#
            let xmp = """
                <d xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" \(most) hdrgm:\(name)="\(number)"/>
                """
            let parameters = GainMapParameters(xmp: Array(xmp.utf8))
            // An empty text is none, and the default counts.
            #expect(parameters == nil || number.isEmpty && name != "GainMapMax", "\(name)")
        }
        let sound = #"<d xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:GainMapMax="1"/>"#
        #expect(GainMapParameters(xmp: Array(sound.utf8)) == GainMapParameters())
        #expect(GainMapParameters(iso: [UInt8](repeating: 0, count: 90)) == nil)
        #expect(GainMapParameters(iso: parameters.iso.dropLast()) == nil)
        // ISO has no sign for it, and a display is never darker than white.
        let negative = """
            <d xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:GainMapMax="1" hdrgm:HDRCapacityMin="-1"/>
            """
        #expect(GainMapParameters(xmp: Array(negative.utf8)) == nil)
    }
}
