import Foundation
import Glibc

/// Starts the loop's thread with pthreads, because Foundation does not report failures.
enum NetworkThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body` on a new thread; returns 0, or the error.
    static func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
        let box = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { box in
                Thread.current.name = "alcedo-network"
                if let box { Unmanaged<Body>.fromOpaque(box).takeRetainedValue().run() }
                return nil
            }, box.toOpaque())
        if status == 0 { pthread_detach(thread) } else { box.release() }
        return status
    }
}
