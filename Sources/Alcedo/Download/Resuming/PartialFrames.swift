import AlcedoTransport
import CXXHash
import Foundation

/// The file of a partial response: frames of a length, a checksum and bytes.
///
/// The first is the head, the others are the body. A process that is killed leaves a last frame that is incomplete or damaged: it and all after it are ignored.
enum PartialFrames {
    private static let headerBytes = 12

    /// A frame of these bytes, at this position of the file.
    static func frame(_ bytes: Data, at position: Int) -> Data {
        var frame = Data(capacity: headerBytes + bytes.count)
        withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { frame.append(contentsOf: $0) }
        withUnsafeBytes(of: checksum(bytes, at: position).bigEndian) { frame.append(contentsOf: $0) }
        frame.append(bytes)
        return frame
    }

    /// The first frame of a file.
    static func head(of response: PartialResponse) -> Data? {
        (try? JSONEncoder().encode(response)).map { frame($0, at: 0) }
    }

    /// The response in a file, and where its last intact frame ends; nil without an intact head.
    static func response(in file: Data) -> (response: PartialResponse, end: Int)? {
        guard let head = bytes(in: file, at: 0),
            var response = try? JSONDecoder().decode(PartialResponse.self, from: Data(head))
        else { return nil }
        var end = headerBytes + head.count
        while let part = bytes(in: file, at: end) {
            response.body.append(part)
            end += headerBytes + part.count
        }
        return (response, end)
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

    private static func checksum(_ bytes: Data, at position: Int) -> UInt64 {
        bytes.withUnsafeBytes { XXH3_64bits_withSeed($0.baseAddress, $0.count, UInt64(position)) }
    }
}
