/// Whether images are decoded in this process or in a worker process, whose crash does not affect the program.
///
/// Workers are programs of their own, restricted as far as the system allows; see ``DecodeSandbox/Level``. If the program
/// is not installed or has never started, images are decoded in this process, and a ``Diagnostic`` is sent once. After a
/// worker has started once, images fail while there is none. Frames of videos are always decoded in a worker.
///
/// It applies to what decodes through a `CodecRegistry`, as every image and load does. A codec that a program calls
/// directly decodes in this process.
public enum DecodeSandbox: Hashable, Sendable {
    /// HEIC, AVIF, JPEG XL, TIFF, JPEG 2000 and SVG in a worker if its program is installed; all else in this process. The default.
    case automatic

    /// Everything in this process.
    case off

    /// Every format of Alcedo's in a worker if its program is installed.
    case preferred

    /// Every image in a worker with at least ``DecodeSandbox/Level/systemCalls``.
    ///
    /// Without one, decoding fails with ``DecodeSandbox/Failure/unavailable(reason:)``, and so does an image of a codec that
    /// a program registered: such a codec can't decode in a worker.
    case required

    /// How far a worker process is restricted, from the least to the most.
    public enum Level: Int, Comparable, Sendable {
        /// A process with limits on memory, files and processor time.
        case process = 1

        /// It also may use a short list of system calls only (seccomp).
        case systemCalls

        /// It also has no access to files, but that for SVG reads the system's fonts (Landlock).
        case files

        /// Whether `a` restricts less than `b`.
        public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }
}
