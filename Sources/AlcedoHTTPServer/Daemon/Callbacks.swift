#if Server
    import CMicroHTTPD
    import Foundation
    import Synchronization

    /// libmicrohttpd's first call for a request; the result is the request's context until ``endRequest``.
    func startRequest(
        _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
    ) -> UnsafeMutableRawPointer? {
        guard let core = ServerCore.from(context), let target else { return nil }
        let bytes = UnsafeRawBufferPointer(start: target, count: strlen(target))
        let exchange = Exchange(
            target: HTTPRequest.originForm(of: [UInt8](bytes)), connection: connection, core: core)
        return Unmanaged.passRetained(exchange).toOpaque()
    }

    /// Called when headers are complete, when the body is, and after a resumption.
    func handleRequest(
        _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
        _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ body: UnsafePointer<CChar>?,
        _ bodyCount: UnsafeMutablePointer<Int>?, _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> MHD_Result {
        guard let core = ServerCore.from(context), let exchange = Exchange.from(request?.pointee), let method
        else {
            return .NO
        }
        let hasBody = bodyCount.map { $0.pointee > 0 } ?? false
        switch exchange.advance(
            method: String(cString: method), version: version.map { String(cString: $0) } ?? "",
            hasBody: hasBody)
        {
        case .wait: return .YES
        case .respond(let response):
            return send(
                response.headers.size <= core.limits.responseHeaderBytes ? response : response.replacement,
                of: exchange, on: connection,
                closes: core.closesConnections.load(ordering: .acquiring))
        }
    }

    /// libmicrohttpd's last call for a request.
    func endRequest(
        _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
        _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_RequestTerminationCode
    ) {
        guard let pointer = request?.pointee else { return }
        request?.pointee = nil
        let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
        exchange.end(code == .REQUEST_TERMINATED_COMPLETED_OK ? .sent : .aborted)
    }

    /// Called when a connection was accepted, and before its socket is closed.
    func notifyConnection(
        _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
        _ socketContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        _ code: MHD_ConnectionNotificationCode
    ) {
        guard let core = ServerCore.from(context) else { return }
        let descriptor = alcedo_mhd_socket(connection)
        if code == .CONNECTION_NOTIFY_STARTED {
            core.watch.add(descriptor, timeout: core.limits.keepAliveTimeout + core.limits.readTimeout)
        } else {
            core.watch.remove(descriptor)
        }
    }

    /// libmicrohttpd's messages, which name no connection.
    func noteMessage(_ context: UnsafeMutableRawPointer?, _ format: UnsafePointer<CChar>?) {
        guard let core = ServerCore.from(context), let format, strstr(format, "Content-Length") != nil
        else { return }
        core.lengths.rejectMalformed()
    }

    private func send(
        _ response: HTTPResponse, of exchange: Exchange, on connection: OpaquePointer?, closes: Bool
    ) -> MHD_Result {
        guard let message = makeMessage(response.body) else {
            // So that the end of the request calls its `onEnd`.
            exchange.isSending(response)
            return .NO
        }
        defer { MHD_destroy_response(message) }
        for (name, value) in response.headers.fields {
            // Rejected, and left out, if it would end the header.
            _ = MHD_add_response_header(message, name, value)
        }
        if closes { _ = MHD_add_response_header(message, "Connection", "close") }
        exchange.isSending(response)
        return MHD_queue_response(connection, UInt32(response.status), message)
    }

    extension HTTPHeaders {
        /// Their bytes in a response.
        fileprivate var size: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 } }
    }

    extension HTTPResponse {
        /// What is sent in its place if its headers are too long.
        fileprivate var replacement: HTTPResponse {
            HTTPResponse(status: 500) { [onEnd] _ in onEnd?(.unsendable) }
        }
    }

    /// Bytes from which a body is not copied as a whole, which would double the memory of large responses.
    ///
    /// Smaller ones are sent in one system call with their headers.
    private let largeBody = 256 << 10

    /// Lends the bytes to libmicrohttpd until it has sent them.
    private func makeMessage(_ body: Data) -> OpaquePointer? {
        guard body.count < largeBody else { return makePieces(body) }
        let bytes = body as NSData
        let owner = Unmanaged<AnyObject>.passRetained(bytes)
        let message = MHD_create_response_from_buffer_with_free_callback_cls(
            bytes.length, UnsafeMutableRawPointer(mutating: bytes.bytes), releaseBody, owner.toOpaque())
        if message == nil { owner.release() }
        return message
    }

    private func makePieces(_ body: Data) -> OpaquePointer? {
        let owner = Unmanaged<AnyObject>.passRetained(LargeBody(body))
        let message = MHD_create_response_from_callback(
            UInt64(body.count), 64 << 10,
            { owner, position, buffer, count in
                guard let owner, let buffer else { return -1 }
                let body = Unmanaged<LargeBody>.fromOpaque(owner).takeUnretainedValue().bytes
                let start = body.startIndex + Int(position)
                let end = min(start + count, body.endIndex)
                let target = UnsafeMutableRawBufferPointer(start: buffer, count: count)
                return body.copyBytes(to: target, from: start..<end)
            }, owner.toOpaque(), releaseBody)
        if message == nil { owner.release() }
        return message
    }

    private final class LargeBody {
        let bytes: Data

        init(_ bytes: Data) { self.bytes = bytes }
    }

    private func releaseBody(_ owner: UnsafeMutableRawPointer?) {
        if let owner { Unmanaged<AnyObject>.fromOpaque(owner).release() }
    }

    extension ServerCore {
        fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
            context.map { Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    extension Exchange {
        fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> Exchange? {
            context.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
        }
    }
#endif
