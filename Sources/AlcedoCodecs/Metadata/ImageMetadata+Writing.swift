package import AlcedoPixels
import CWebP

extension ImageMetadata {
    /// A file that one of this module's codecs has written, with this metadata: a JPEG, a PNG or a WebP.
    ///
    /// Other formats stay as they are, and so do files for whose format a block is too long.
    package func embedded(in file: [UInt8], format: EncodedFormat) -> [UInt8] {
        guard self != ImageMetadata() else { return file }
        return switch format {
        case .jpeg: embeddedInJPEG(file)
        case .png: embeddedInPNG(file)
        case .webp: embeddedInWebP(file)
        default: file
        }
    }

    /// Behind JFIF's segment, which libjpeg writes first.
    private func embeddedInJPEG(_ file: [UInt8]) -> [UInt8] {
        var start = 2
        if file.count > 6, file[2] == 0xFF, file[3] == 0xE0 { start += 2 + Int(file[4]) << 8 + Int(file[5]) }
        guard start <= file.count else { return file }
        var segments: [UInt8] = []
        func add(_ marker: UInt8, _ mark: StaticString, _ body: [UInt8]?) {
            guard let body, body.count <= 65_533 - mark.utf8CodeUnitCount else { return }
            let length = 2 + mark.utf8CodeUnitCount + body.count
            segments += [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)]
            segments += UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
            segments += body
        }
        add(0xE1, "Exif\0\0", exif)
        add(0xE1, Self.xmpMark, xmp)
        add(0xED, Self.iptcMark, iptc)
        return Array(file[..<start]) + segments + file[start...]
    }

    /// After the header, which has 25 bytes.
    private func embeddedInPNG(_ file: [UInt8]) -> [UInt8] {
        let start = 8 + 25
        guard file.count > start else { return file }
        var chunks = PNGChunkWriter()
        let signature = chunks.bytes.count
        if let exif { chunks.add("eXIf", exif[...]) }
        if let xmp {
            let mark = UnsafeBufferPointer(
                start: Self.pngMark.utf8Start, count: Self.pngMark.utf8CodeUnitCount)
            chunks.add("iTXt", Array(mark)[...], xmp[...])
        }
        return Array(file[..<start]) + chunks.bytes[signature...] + file[start...]
    }

    private func embeddedInWebP(_ file: [UInt8]) -> [UInt8] {
        file.withUnsafeBufferPointer { bytes in
            var data = WebPData(bytes: bytes.baseAddress, size: bytes.count)
            guard let mux = WebPMuxCreate(&data, 0) else { return file }
            defer { WebPMuxDelete(mux) }
            for (name, block) in [("EXIF", exif), ("XMP ", xmp)] {
                guard let block else { continue }
                let status = block.withUnsafeBufferPointer { block in
                    var chunk = WebPData(bytes: block.baseAddress, size: block.count)
                    return WebPMuxSetChunk(mux, name, &chunk, 1)
                }
                guard status == WEBP_MUX_OK else { return file }
            }
            var output = WebPData()
            guard WebPMuxAssemble(mux, &output) == WEBP_MUX_OK else { return file }
            defer { WebPDataClear(&output) }
            return Array(UnsafeBufferPointer(start: output.bytes, count: output.size))
        }
    }
}
