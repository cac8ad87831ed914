import AlcedoTransport
import CXXHash
import Foundation

/// The format of a partial response's file: frames of a length, a checksum and bytes, which a transform may have sealed.
///
/// The first is the head, the others are the body. A process that is killed leaves a last frame that is incomplete or damaged:
/// it and all after it are ignored. So files are neither renamed nor synchronised.
struct PartialFrames {
    private static let headerBytes = 12
    var name = ""

    /// Changes the bytes of each frame; nil for none.
    var transform: (any DiskTransform)?

    /// A frame of these bytes of a response's body, at this position of the file.
    func frame(_ bytes: Data, at position: Int, of response: PartialResponse) throws -> Data {
        try frame(bytes, at: position, sealName: sealName(position, of: response))
    }

    /// The first frame of a file.
    func head(of response: PartialResponse) throws -> Data {
        try frame(try JSONEncoder().encode(response), at: 0, sealName: name)
    }

    /// The response in a file, and where its last intact frame ends; nil without an intact head.
    func response(in file: Data) -> (response: PartialResponse, end: Int)? {
        guard let head = Self.bytes(in: file, at: 0), let opened = open(head, sealName: name),
            var response = try? JSONDecoder().decode(PartialResponse.self, from: opened)
        else { return nil }
        var end = Self.headerBytes + head.count
        while let part = Self.bytes(in: file, at: end),
            let opened = open(part, sealName: sealName(end, of: response))
        {
            response.body.append(opened)
            end += Self.headerBytes + part.count
        }
        return (response, end)
    }

    /// The name that a frame is sealed for: so frames can't be exchanged, not even with those of a former response.
    private func sealName(_ position: Int, of response: PartialResponse) -> String {
        "\(name) \(position) \(response.validator ?? "")"
    }

    private func frame(_ bytes: Data, at position: Int, sealName: String) throws -> Data {
        let bytes = try transform?.seal(bytes, fileName: sealName) ?? bytes
        var frame = Data(capacity: Self.headerBytes + bytes.count)
        withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { frame.append(contentsOf: $0) }
        withUnsafeBytes(of: Self.checksum(bytes, at: position).bigEndian) { frame.append(contentsOf: $0) }
        frame.append(bytes)
        return frame
    }

    private func open(_ bytes: Data, sealName: String) -> Data? {
        guard let transform else { return Data(bytes) }
        return try? transform.open(Data(bytes), fileName: sealName)
    }

    private static func bytes(in file: Data, at position: Int) -> Data? {
        let start = file.startIndex + position
        guard file.endIndex - start > headerBytes else { return nil }
        let length = number(in: file[start..<start + 4])
        let first = start + headerBytes
        guard length > 0, length <= UInt64(file.endIndex - first) else { return nil }
        let bytes = file[first..<first + Int(length)]
        return checksum(bytes, at: position) == number(in: file[start + 4..<first]) ? bytes : nil
    }

    private static func number(in bytes: Data) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    /// Seeded with the position, so that a frame counts as intact only where it was written.
    private static func checksum(_ bytes: Data, at position: Int) -> UInt64 {
        bytes.withUnsafeBytes { XXH3_64bits_withSeed($0.baseAddress, $0.count, UInt64(position)) }
    }
}
