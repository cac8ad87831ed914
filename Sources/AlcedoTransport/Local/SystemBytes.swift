import Glibc

/// Words and names of files that are not UTF-8, in Swift's strings, which would repair them.
///
/// Each byte that belongs to no character is a scalar at the end of Unicode; ``shown`` has U+FFFD for it.
extension String {
    /// The scalar of the byte 0; those of 0x80 and above are the last ones of Unicode.
    private static let firstScalar: UInt32 = 0x10FF00

    /// A text of the system, such as an argument.
    package init(systemBytes pointer: UnsafePointer<CChar>) {
        self.init(systemBytes: UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)))
    }

    package init(systemBytes bytes: some Collection<UInt8>) {
        var rest = bytes[...]
        var scalars = UnicodeScalarView()
        while let first = rest.first {
            let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            let scalar = String(validating: rest.prefix(length), as: UTF8.self)?.unicodeScalars.first
            // A real character of the range that stands for bytes is taken apart too, so the way back is unambiguous.
            if let scalar, scalar.value < Self.firstScalar + 0x80 {
                scalars.append(scalar)
                rest = rest.dropFirst(length)
            } else {
                if let scalar = Unicode.Scalar(Self.firstScalar + UInt32(first)) { scalars.append(scalar) }
                rest = rest.dropFirst()
            }
        }
        self.init(scalars)
    }

    /// The bytes for calls of the system, with a zero at the end.
    package var systemBytes: [CChar] {
        var bytes: [UInt8] = []
        for scalar in unicodeScalars {
            if scalar.value >= Self.firstScalar + 0x80 {
                bytes.append(UInt8(scalar.value - Self.firstScalar))
            } else {
                bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        return bytes.map { CChar(bitPattern: $0) } + [0]
    }

    /// Whether there are bytes that are not UTF-8.
    package var hasForeignBytes: Bool { unicodeScalars.contains { $0.value >= Self.firstScalar + 0x80 } }

    /// The text for users.
    package var shown: String {
        hasForeignBytes
            ? String(decoding: systemBytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) : self
    }
}
