#if Server
    import AlcedoLocks
    import CMicroHTTPD
    import Dispatch
    import Foundation

    /// A thread that serves a part of a server's connections with a libmicrohttpd of its own.
    ///
    /// It waits for events itself. libmicrohttpd's own threads take up to 128 events of epoll at once, and if there are exactly
    /// 128, they wait for another one before they serve any, for up to the timeout of a connection.
    final class DaemonThread: Sendable {
        private struct Orders {
            var quiesces = false
            var stops = false
        }

        private let daemon: UInt
        private let waker: Int32
        private let orders = Lock(Orders())
        private let hasQuiesced = DispatchSemaphore(value: 0)
        private let hasStopped = DispatchSemaphore(value: 0)

        /// Starts one; nil if libmicrohttpd or the system does not.
        ///
        /// The socket is closed then.
        init?(_ settings: alcedo_mhd_settings, _ core: ServerCore) {
            let waker = alcedo_mhd_waker()
            self.waker = waker
            var settings = settings
            guard waker >= 0 else {
                close(settings.socket)
                return nil
            }
            guard let daemon = alcedo_mhd_start(&settings) else {
                close(waker)
                return nil
            }
            let address = UInt(bitPattern: daemon)
            self.daemon = address
            core.wakers.withLock { $0[address] = waker }
            guard DetachedThread.start("alcedo-http", { [self] in run() }) == 0 else {
                _ = core.wakers.withLock { $0.removeValue(forKey: address) }
                MHD_stop_daemon(daemon)
                close(waker)
                return nil
            }
        }

        /// Closes the listening socket; returns when that is done.
        func quiesce() {
            order { $0.quiesces = true }
            hasQuiesced.wait()
        }

        /// Closes all connections, none of which may be suspended, and ends the thread; returns when that is done.
        func stop() {
            order { $0.stops = true }
            hasStopped.wait()
        }

        private func order(_ change: (inout Orders) -> Void) {
            orders.withLock { change(&$0) }
            alcedo_mhd_wake(waker)
        }

        private func run() {
            let daemon = OpaquePointer(bitPattern: daemon)
            while true {
                alcedo_mhd_turn(daemon, waker)
                let orders = orders.withLock { orders in
                    defer { orders = Orders() }
                    return orders
                }
                if orders.quiesces {
                    let socket = MHD_quiesce_daemon(daemon)
                    if socket >= 0 { close(socket) }
                    hasQuiesced.signal()
                }
                if orders.stops {
                    MHD_stop_daemon(daemon)
                    close(waker)
                    hasStopped.signal()
                    return
                }
            }
        }
    }
#endif
