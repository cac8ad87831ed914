import AlcedoPixels
import Glibc

/// A strip or a tile of each plane that is shown, decoded.
final class TIFFBlock {
    /// The pixels of it that the file has; at the right and lower edges some are outside the image.
    let size: PixelSize

    private let rowBytes: Int
    private let planeBytes: Int
    private let memory: UnsafeMutableRawPointer

    /// Allocates memory for `planes` blocks of `planeBytes`; all are zero.
    init(size: PixelSize, rowBytes: Int, planeBytes: Int, planes: Int) throws(CodecError) {
        guard planeBytes / rowBytes >= size.height else {
            throw .corrupt(.tiff, reason: "its blocks of \(size) pixels are of \(planeBytes) bytes")
        }
        // Zeros that are not written take no memory.
        guard let memory = calloc(planes, planeBytes) else {
            throw .outOfMemory(byteCount: planes * planeBytes)
        }
        (self.size, self.rowBytes, self.planeBytes, self.memory) = (size, rowBytes, planeBytes, memory)
    }

    deinit { free(memory) }

    /// The buffer for the samples of a plane.
    func plane(_ index: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: memory + index * planeBytes, count: planeBytes)
    }

    func bytes(rows: Int) -> Int { rows * rowBytes }

    func row(_ row: Int, plane: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory + plane * planeBytes + row * rowBytes, count: rowBytes)
    }
}
