import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

struct `The codes of a GIF` {
    private let codec = GIFCodec()

    /// A canvas of one row of `width` pixels whose frame has these codes, each of the given bits.
    private func gif(_ width: Int, codeSize: UInt8 = 2, _ codes: [(Int, Int)]) -> [UInt8] {
        let data = packed(codes)
        let size: [UInt8] = [UInt8(width & 0xFF), UInt8(width >> 8), 1, 0]
        let colors: [UInt8] = [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255]
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0] + size + [0, codeSize, UInt8(data.count)] + data
        let header: [UInt8] = Array("GIF89a".utf8) + size + [0x91, 0, 0]
        return header + colors + frame + [0, 0x3B]
    }

    /// The numbers of the colours that come out.
    private func numbers(_ bytes: [UInt8]) throws -> [Int] {
        let bitmap = try codec.decode(bytes)
        return bitmap.withUnsafeBytes { pixels in
            pixels.bindMemory(to: UInt32.self).map { GIFBuilder.colors.firstIndex(of: $0) ?? -1 }
        }
    }

    @Test(arguments: [2, 3, 9, 16, 17, 18, 40])
    func `a GIF's code may stand for what it is about to write`(_ strings: Int) throws {
        // 1, then twice 1, then three times 1, and so on: each is the string before and its own first number.
        var codes = [(4, 3), (1, 3)]
        var next = 6
        var bits = 3
        for _ in 1..<strings {
            codes.append((next, bits))
            next += 1
            if next > 1 << bits - 1 { bits += 1 }
        }
        let count = strings * (strings + 1) / 2
        #expect(try numbers(gif(count, codes + [(5, bits)])) == [Int](repeating: 1, count: count))
    }

    @Test func `a GIF's codes may start without a clear code`() throws {
        #expect(try numbers(gif(3, [(2, 3), (3, 3), (1, 3), (5, 4)])) == [2, 3, 1])
    }

    @Test func `a GIF's codes may write more than there is room for`() throws {
        #expect(try numbers(gif(2, [(4, 3), (1, 3), (6, 3), (7, 3), (5, 4)])) == [1, 1])
    }

    @Test func `a GIF's codes may continue after the last pixel`() throws {
        #expect(try numbers(gif(1, [(4, 3), (1, 3), (2, 3), (3, 3)])) == [1])
    }

    @Test func `a GIF's codes that end before the last pixel are wrong`() throws {
        let error = CodecError.corrupt(.gif, reason: "a frame has too few pixels")
        #expect(throws: error) { try codec.decode(gif(2, [(4, 3), (1, 3), (5, 3)])) }
        #expect(throws: CodecError.self) { try codec.decode(gif(20, [(4, 3), (1, 3)])) }
    }

    @Test(arguments: [6, 7]) func `a GIF's code that stands for nothing yet is wrong`(_ code: Int) throws {
        let error = CodecError.corrupt(.gif, reason: "its code stream is wrong")
        #expect(throws: error) { try codec.decode(gif(2, [(4, 3), (code, 3), (5, 3)])) }
    }

    @Test(arguments: [12, 13, 255]) func `a GIF's codes are numbers of at most 11 bits at first`(
        _ size: UInt8
    ) throws {
        let error = CodecError.corrupt(.gif, reason: "its codes are too long")
        #expect(throws: error) { try codec.decode(gif(1, codeSize: size, [(1, 10)])) }
    }

    /// giflib writes until its table is full, and then starts a new one.
    @Test(arguments: [1, 2, 5, 100, 256]) func `a GIF's codes are read as giflib writes them`(_ colors: Int)
        throws
    {
        var random = SeededGenerator(seed: UInt64(colors))
        let bitmap = try Bitmap.make(199, 173) { x, y in
            let number = x % 50 < 25 ? UInt32.random(in: 0..<UInt32(colors), using: &random) : UInt32(y / 40)
            return 0xFF00_0000 | number % UInt32(colors) &* 0x01_0A2F
        }
        let bytes = try codec.encode(bitmap, as: .gif) { $0.isDithered = false }
        #expect(try codec.decode(bytes).hasSamePixels(as: bitmap))
    }

    @Test func `a GIF's codes continue with a full table until it is cleared`() throws {
        // 4,092 codes fill the table; those after it are 12 bits long and add nothing.
        var bits: [(Int, Int)] = [(4, 3)]
        var (next, width) = (6, 3)
        var expected: [Int] = []
        for index in 0..<6000 {
            bits.append((index % 4, width))
            expected.append(index % 4)
            if index > 0, next < 4096 { next += 1 }
            if next > 1 << width - 1, width < 12 { width += 1 }
        }
        var blocks: [UInt8] = []
        var data = packed(bits + [(5, width)])[...]
        while !data.isEmpty {
            let block = data.prefix(255)
            blocks += [UInt8(block.count)] + block
            data = data.dropFirst(255)
        }
        // In the place of one block of one byte.
        var bytes = gif(6000, [])
        bytes.replaceSubrange((bytes.count - 4)..., with: blocks + [0, 0x3B])
        #expect(try numbers(bytes) == expected)
    }

    private func packed(_ codes: [(Int, Int)]) -> [UInt8] {
        var data: [UInt8] = []
        var (buffer, count) = (0, 0)
        for (code, bits) in codes {
            buffer |= code << count
            count += bits
            while count >= 8 {
                data.append(UInt8(buffer & 0xFF))
                buffer >>= 8
                count -= 8
            }
        }
        return data + [UInt8(buffer & 0xFF)]
    }
}
