import AlcedoIsolation
package import AlcedoPixels
import CIsolation
import Glibc

/// A helper program that decodes images for the program that started it.
///
/// It reads requests from descriptor 3 until that is closed. First it loads the files that its libraries need, then it
/// restricts itself to the requested sandbox level, as far as the system can.
package struct DecodeWorker {
    private let codecs: [any ImageCodec]
    private let files: (any FileDecoder)?
    private let samples: [[UInt8]]
    private let readsFonts: Bool

    /// Creates a worker that decodes what `codecs` read, and open files by `files`.
    ///
    /// At the start it decodes `samples`, small images, so that libraries load their files. If `readsFonts`, it may read
    /// font folders.
    package init(
        _ codecs: [any ImageCodec] = [], files: (any FileDecoder)? = nil, samples: [[UInt8]] = [],
        readsFonts: Bool = false
    ) {
        self.codecs = codecs
        self.files = files
        self.samples = samples
        self.readsFonts = readsFonts
    }

    /// Works until the program that has started it ends or closes the channel.
    package func run() -> Never {
        // Swift reads the command line from /proc, which may not be there.
        guard
            let wanted = Self.variable(Channel.levelVariable).flatMap({ DecodeSandbox.Level(rawValue: $0) }),
            let memoryLimit = Self.variable(Channel.memoryVariable)
        else {
            print("This program decodes images in a sandbox; Alcedo starts it and talks to it.")
            exit(EX_USAGE)
        }
        // A program with a C library before 2.34 does not close all of its own at the start.
        alcedo_close_from(Channel.workerDescriptor + 1)
        // Libraries' output goes to a file of size 0 if there is no /dev/null; exceeding that must not end the process.
        signal(SIGXFSZ, SIG_IGN)
        // A closed channel is an error, which ends the process below.
        signal(SIGPIPE, SIG_IGN)
        Self.volunteer()
        for sample in samples { warmUp(with: sample) }
        let restrictions = Restrictions(memoryLimit: memoryLimit, readsFonts: readsFonts)
        guard let level = restrictions.apply(upTo: wanted) else { exit(EX_OSERR) }
        let channel = Channel(ofWorker: Channel.workerDescriptor)
        do throws(Channel.Failure) {
            try channel.send(Message(.ready, id: 0, words: [UInt64(level.rawValue), Channel.version]))
            var loop = RequestLoop(channel, codecs, files: files)
            loop.lendMemory()
            while true { try loop.serve() }
        } catch {
            // Exit handlers of libraries have nothing to do here.
            _exit(error == .closed ? 0 : EX_PROTOCOL)
        }
    }

    private static func variable(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
    }

    /// Makes this process the first that the kernel kills when memory runs out, if `/proc` is writable.
    private static func volunteer() {
        let file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = write(file, "1000", 4)
        close(file)
    }

    private func warmUp(with sample: [UInt8]) {
        let bytes = sample.span.bytes
        guard let codec = codecs.first(where: { $0.format(of: bytes) != nil }) else { return }
        _ = try? codec.info(of: bytes, limits: DecodeLimits())
        _ = try? codec.decode(bytes, options: DecodeOptions())
    }
}
