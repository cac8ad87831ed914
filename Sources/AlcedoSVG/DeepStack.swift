import AlcedoPixels
import CDispatch
import Glibc

/// Runs work on a thread whose stack suffices for the deepest nesting that ``SVGWork`` allows; blocks the caller.
enum DeepStack {
    private static let stackSize = 16 << 20

    private final class Work {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    static func run<Result>(
        _ body: @escaping () throws(CodecError) -> Result
    ) throws(CodecError) -> Result {
        var outcome: Swift.Result<Result, CodecError>?
        withUnsafeMutablePointer(to: &outcome) { outcome in
            let work = Work {
                do throws(CodecError) { outcome.pointee = .success(try body()) } catch {
                    outcome.pointee = .failure(error)
                }
            }
            var attributes = pthread_attr_t()
            pthread_attr_init(&attributes)
            pthread_attr_setstacksize(&attributes, stackSize)
            defer { pthread_attr_destroy(&attributes) }
            let retained = Unmanaged.passRetained(work)
            var thread = pthread_t()
            let status = pthread_create(
                &thread, &attributes,
                { argument in
                    argument.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().body() }
                    return nil
                },
                retained.toOpaque())
            if status == 0 { pthread_join(thread, nil) } else { retained.release() }
        }
        guard let outcome else { throw .outOfMemory(byteCount: stackSize) }
        return try outcome.get()
    }
}
