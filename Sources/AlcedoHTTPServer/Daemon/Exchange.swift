#if Server
    import AlcedoLocks
    import CMicroHTTPD
    import Foundation

    /// One request and its response.
    ///
    /// libmicrohttpd calls for a request: when its first line is there, when its headers are, when its (empty) body is, and
    /// again after ``finish(_:)`` has resumed the connection.
    final class Exchange: Sendable {
        enum Step {
            case wait
            case respond(HTTPResponse)
        }

        private enum Phase {
            case receiving
            case received(HTTPRequest)
            case running(Task<Void, Never>?)
            case responded(HTTPResponse)
            case sending((@Sendable (HTTPEnd) -> Void)?)
            case ended
        }

        private struct State {
            var phase = Phase.receiving
            var isCancelled = false
        }

        let target: [UInt8]
        let descriptor: Int32
        private let core: ServerCore
        /// libmicrohttpd's connection, used by its own thread, and by others only to resume it.
        private let connection: UInt
        private let state = Lock(State())

        init(target: [UInt8], connection: OpaquePointer?, core: ServerCore) {
            self.target = target
            self.connection = UInt(bitPattern: connection)
            self.core = core
            descriptor = alcedo_mhd_socket(connection)
            core.requests.enter()
            core.lengths.start(connection)
        }

        deinit { core.requests.leave() }

        /// Takes the next step; called on the connection's thread.
        func advance(method: String, version: String, hasBody: Bool) -> Step {
            switch state.withLock({ $0.phase }) {
            case .receiving:
                let request = HTTPRequest(
                    method: method, target: target, headers: readHeaders(), client: readClient())
                core.lengths.end(OpaquePointer(bitPattern: connection))
                core.watch.headIsComplete(descriptor)
                if request.headers.areAmbiguous || !request.headers.haveHost(for: version) {
                    var response = HTTPResponse(status: 400, text: "Malformed headers")
                    response.headers["Connection"] = "close"
                    return .respond(response)
                }
                if request.announcesBody {
                    return .respond(HTTPResponse(status: 413, text: "Requests must not have a body"))
                }
                state.withLock { $0.phase = .received(request) }
                return .wait
            case .received where hasBody:
                return .respond(HTTPResponse(status: 413, text: "Requests must not have a body"))
            case .received(let request):
                return start(request)
            case .responded(let response):
                return .respond(response)
            case .running, .sending, .ended:
                return .wait
            }
        }

        private func start(_ request: HTTPRequest) -> Step {
            if let response = core.immediate(request) { return .respond(response) }
            guard core.suspensions.enter(self) else {
                return .respond(HTTPResponse(status: 503, text: "The server is stopping"))
            }
            // Before any other thread may resume it.
            MHD_suspend_connection(OpaquePointer(bitPattern: connection))
            state.withLock { $0.phase = .running(nil) }
            let handler = core.handler
            let task = Task { finish(await handler(request)) }
            let isCancelled = state.withLock { state in
                // The handler may have ended already.
                if case .running = state.phase { state.phase = .running(task) }
                return state.isCancelled
            }
            // The client may have disconnected before the watch knew of this.
            if core.watch.await(self) || isCancelled { task.cancel() }
            return .wait
        }

        /// Ends the handler's work with a response; later calls are ignored.
        private func finish(_ response: HTTPResponse) {
            let isFirst = state.withLock { state in
                guard case .running = state.phase else { return false }
                state.phase = .responded(response)
                return true
            }
            guard isFirst else {
                response.onEnd?(.aborted)
                return
            }
            core.watch.hasResponse(descriptor, timeout: core.limits.writeTimeout)
            let connection = OpaquePointer(bitPattern: connection)
            // Before it may be closed.
            let daemon = UInt(bitPattern: alcedo_mhd_daemon(connection))
            let waker = core.wakers.withLock { $0[daemon] }
            MHD_resume_connection(connection)
            if let waker { alcedo_mhd_wake(waker) }
            // The thread ends only once all have left.
            core.suspensions.leave(self)
        }

        /// Cancels the handler: its client has disconnected.
        func abandon() { cancelledTask()?.cancel() }

        /// Cancels the handler, and responds in its place: the server stops.
        func cancel() {
            let task = cancelledTask()
            // First: a handler that is cancelled may return something at once.
            finish(HTTPResponse(status: 503, text: "The server is stopping"))
            task?.cancel()
        }

        /// The task of the handler, which is to be cancelled; one that is created from now on is cancelled at once.
        private func cancelledTask() -> Task<Void, Never>? {
            state.withLock { state in
                state.isCancelled = true
                if case .running(let task) = state.phase { return task }
                return nil
            }
        }

        /// Notes that a response is on its way.
        func isSending(_ response: HTTPResponse) {
            state.withLock { $0.phase = .sending(response.onEnd) }
            core.watch.isSending(descriptor, timeout: core.limits.writeTimeout)
        }

        /// Notes the end of the request; called on the connection's thread.
        func end(_ end: HTTPEnd) {
            core.lengths.end(OpaquePointer(bitPattern: connection))
            let phase = state.withLock { state in
                defer { state.phase = .ended }
                return state.phase
            }
            switch phase {
            case .sending(let onEnd): onEnd?(end)
            case .responded(let response): response.onEnd?(.aborted)
            case .receiving, .received, .running, .ended: break
            }
            core.watch.isIdle(
                descriptor, timeout: core.limits.keepAliveTimeout + core.limits.readTimeout)
        }

        private func readClient() -> String? {
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            let isKnown = alcedo_mhd_client(OpaquePointer(bitPattern: connection), &text, UInt32(text.count))
            return isKnown
                ? String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
        }

        private func readHeaders() -> HTTPHeaders {
            let list = HeaderList()
            withExtendedLifetime(list) {
                _ = MHD_get_connection_values_n(
                    OpaquePointer(bitPattern: connection), .HEADER_KIND, addHeader,
                    Unmanaged.passUnretained(list).toOpaque())
            }
            return list.headers
        }
    }

    private final class HeaderList {
        var headers = HTTPHeaders()
    }

    private let addHeader: MHD_KeyValueIteratorN = { context, _, name, nameCount, value, valueCount in
        guard let context else { return .NO }
        let list = Unmanaged<HeaderList>.fromOpaque(context).takeUnretainedValue()
        list.headers.add(text(name, nameCount), text(value, valueCount))
        return .YES
    }

    private func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
    }

    extension HTTPHeaders {
        private static let singleNames = ["content-length", "host", "transfer-encoding"]
        private static let framingNames = ["content-length", "transfer-encoding"]

        /// Whether a proxy may understand these headers in another way, and so where the request ends (RFC 9112, 11.2).
        fileprivate var areAmbiguous: Bool {
            Self.singleNames.contains { name in fields.count { $0.name.equalsIgnoringCase(name) } > 1 }
                || Self.framingNames.allSatisfy { self[$0] != nil }
                || fields.contains {
                    $0.name.isEmpty || !$0.name.utf8.allSatisfy(\.isTokenByte) || isFolded($0.name)
                }
        }

        /// libmicrohttpd 0.9.75 appends a line that starts with a space to the name of the header before it.
        private func isFolded(_ name: String) -> Bool {
            Self.framingNames.contains { name.utf8.count > $0.utf8.count && name.lowercased().hasPrefix($0) }
        }
    }

    extension HTTPHeaders {
        /// Whether they name a host, as those of HTTP/1.1 have to, and only a host with its port (RFC 9112, 3.2).
        ///
        /// It may be empty, for a client whose URL has none.
        fileprivate func haveHost(for version: String) -> Bool {
            guard let host = self["Host"] else { return version != "HTTP/1.1" }
            return host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"/?#@\\,\"<>".utf8.contains($0) }
        }
    }

    extension UInt8 {
        /// Whether a header's name may contain it (RFC 9110, 5.6.2).
        fileprivate var isTokenByte: Bool {
            switch self {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: "!#$%&'*+-.^_`|~".utf8.contains(self)
            }
        }
    }

    extension HTTPRequest {
        fileprivate var announcesBody: Bool {
            headers["Transfer-Encoding"] != nil || headers["Content-Length"].map { Int($0) != 0 } ?? false
        }
    }
#endif
