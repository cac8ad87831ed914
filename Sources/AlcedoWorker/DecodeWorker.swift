import AlcedoIsolation
package import AlcedoPixels
import CIsolation
import Glibc

/// A program that decodes images for another one, which has started it.
///
/// It reads requests from descriptor 3 until that is closed. Before the first one it loads what its libraries need and
/// then restricts itself, as far as the system can and it was told.
package struct DecodeWorker {
    private let codecs: [any ImageCodec]
    private let samples: [[UInt8]]
    private let readsFonts: Bool

    /// Describes a worker.
    ///
    /// - Parameters:
    ///   - codecs: what it decodes.
    ///   - samples: small images, decoded at the start so that libraries load what they need.
    ///   - readsFonts: whether it may read the folders that fonts are in.
    package init(_ codecs: [any ImageCodec], samples: [[UInt8]] = [], readsFonts: Bool = false) {
        self.codecs = codecs
        self.samples = samples
        self.readsFonts = readsFonts
    }

    /// Works until the program that has started it ends or closes the channel.
    package func run() -> Never {
        // Swift reads the command line from /proc, which may not be there.
        guard let wanted = Self.variable(Channel.levelVariable).flatMap({ SandboxLevel(rawValue: $0) }),
            let memoryLimit = Self.variable(Channel.memoryVariable)
        else {
            print("This program decodes images in a sandbox; Alcedo starts it and talks to it.")
            exit(EX_USAGE)
        }
        alcedo_close_from(Channel.workerDescriptor + 1)
        // Nobody reads what libraries print, and where there is no /dev/null it counts as a file.
        signal(SIGXFSZ, SIG_IGN)
        Self.volunteer()
        for sample in samples { warmUp(with: sample) }
        let restrictions = Restrictions(memoryLimit: memoryLimit, readsFonts: readsFonts)
        guard let level = restrictions.apply(upTo: wanted) else { exit(EX_OSERR) }
        let channel = Channel(socket: Channel.workerDescriptor)
        do throws(Channel.Failure) {
            try channel.send(Message(.ready, id: 0, words: [UInt64(level.rawValue), Channel.version]))
            var loop = RequestLoop(channel, codecs)
            loop.lendMemory()
            while true { try loop.serve() }
        } catch {
            // Libraries' own ways to end are no use to anybody here.
            _exit(error == .closed ? 0 : EX_PROTOCOL)
        }
    }

    private static func variable(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
    }

    /// Has the system end this process before others when memory runs out, where it lets itself be told.
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
