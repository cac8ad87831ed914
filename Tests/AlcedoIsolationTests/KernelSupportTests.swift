import AlcedoPixels
import AlcedoTestSupport
import CIsolation
import Foundation
import Testing

@testable import AlcedoIsolation

/// Systems that can't restrict workers, or have none; SECURITY.md says what decodes then.
///
/// Under a sanitizer no worker is restricted.
@Suite(.enabled(if: alcedo_is_sanitized() == 0 && alcedo_landlock_version() > 0), .timeLimit(.minutes(10)))
struct `A system without a sandbox` {
    private let folder: TemporaryDirectory
    private let image = Array("hostile animate".utf8)

    init() throws { folder = try TemporaryDirectory() }

    @Test func `a system that lacks Landlock decodes what is required to be isolated`() throws {
        let group = try group("without-landlock")
        #expect(try group.pool.warmUp() == .systemCalls)
        #expect(try decode(.required, in: group).width == 512)
    }

    @Test(arguments: ["without-seccomp", "ends-filters"])
    func `a system without seccomp filters decodes nothing that is required to be isolated`(_ kernel: String)
        throws
    {
        let group = try group(kernel)
        #expect(try group.pool.warmUp() == .process)
        expectNothing(in: group, "this system restricts workers to level “process” only")
        #expect(try decode(.preferred, in: group).width == 512)
        #expect(try decode(.automatic, in: group).width == 512)
    }

    @Test func `a system whose helper does not start decodes nothing that is required to be isolated`() throws
    {
        let group = try group("broken", program: "/bin/false")
        expectNothing(in: group, "does not start")
    }

    @Test func `a system without a helper decodes nothing that is required to be isolated`() {
        expectNothing(in: .built("no-such-helper"), "no-such-helper is not installed")
    }

    /// What only a worker decodes.
    @Test func `a system without a sandbox decodes no video that is required to be isolated`() throws {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        let groups = try [
            group("without-seccomp"), group("broken", program: "/bin/false"), .built("no-such-helper"),
        ]
        for group in groups {
            let decoder = IsolatedFileDecoder(of: .video, in: group)
            #expect {
                try decoder.decode(fileno(file), options: DecodeOptions { $0.sandbox = .required })
            } throws: {
                isUnavailable($0, "")
            }
        }
    }

    private func group(_ name: String, program: String? = nil) throws -> DecoderGroup {
        let helper = folder.file(name)
        let program = program ?? BuiltProgram.url(of: "HostileWorker").path
        try FileManager.default.createSymbolicLink(atPath: helper.path, withDestinationPath: program)
        return DecoderGroup(helper.path, isIsolatedByDefault: true, workers: 1)
    }

    private func decode(_ isolation: DecodeSandbox, in group: DecoderGroup) throws -> Bitmap {
        try IsolatedCodec(HostileFormat(), in: group).decode(image.span.bytes, options: options(isolation))
    }

    private func options(_ isolation: DecodeSandbox) -> DecodeOptions {
        DecodeOptions(limits: DecodeLimits(seconds: 600, sandbox: isolation))
    }

    /// Every way to decode fails, also for formats whose headers are read here otherwise.
    private func expectNothing(in group: DecoderGroup, _ reason: String) {
        let options = options(.required)
        for readsHeadersHere in [false, true] {
            let codec = IsolatedCodec(HostileFormat(), in: group, readsHeadersHere: readsHeadersHere)
            #expect { try codec.info(of: image.span.bytes, limits: options.limits) } throws: {
                isUnavailable($0, reason)
            }
            #expect { try codec.decode(image.span.bytes, options: options) } throws: {
                isUnavailable($0, reason)
            }
            #expect { try codec.frames(of: image.span.bytes, options: options) } throws: {
                isUnavailable($0, reason)
            }
            #expect { try codec.frameDurations(of: image.span.bytes, limits: options.limits) } throws: {
                isUnavailable($0, reason)
            }
            let (hasPixels, profile) = (
                codec.hasAllPixels(image.span.bytes, limits: options.limits),
                codec.profile(of: image.span.bytes, limits: options.limits)
            )
            #expect(!hasPixels && profile == nil)
        }
    }

    private func isUnavailable(_ error: any Error, _ reason: String) -> Bool {
        guard case CodecError.sandboxFailed(_, .unavailable(let found)) = error else { return false }
        return found.contains(reason) || reason.isEmpty
    }
}
