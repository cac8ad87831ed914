package import AlcedoWaiting
import CSSL
import CSpawn
import Foundation

/// A scripted TLS server on 127.0.0.1, for behaviour that a regular server does not have.
///
/// Each connection has a thread, which ends with it.
package final class TLSServer: Sendable {
    /// Handles one connection, which is closed afterwards; gets the connection's index, from 0.
    package typealias Script = @Sendable (TLSConnection, _ index: Int) -> Void

    /// The number of started handshakes.
    package let connections = CallCounter()

    /// The number of successful reads.
    package let reads = CallCounter()

    package let port: Int
    private let listener: Int32

    /// Listens with a certificate.
    ///
    /// `script` handles each connection after the handshake; `speaksHTTP2` selects HTTP/2 by ALPN.
    ///
    /// - Throws: `POSIXError` if it can't listen, or OpenSSL rejects the certificate.
    package init(
        _ certificate: TestCertificate, speaksHTTP2: Bool = false, onlyTLS10: Bool = false,
        script: @escaping Script
    ) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        port = try bindToLoopback(listener)
        guard listen(listener, 64) == 0,
            TLSContext(certificate, speaksHTTP2: speaksHTTP2, onlyTLS10: onlyTLS10) != nil
        else { throw POSIXError(.EIO) }
        let (listener, connections, reads) = (listener, connections, reads)
        Thread.detachNewThread {
            while case let client = accept(listener, nil, nil), client >= 0 {
                let index = connections.increment() - 1
                Thread.detachNewThread {
                    guard
                        let context = TLSContext(
                            certificate, speaksHTTP2: speaksHTTP2, onlyTLS10: onlyTLS10)
                    else { return _ = close(client) }
                    TLSConnection.serve(client, context, reads) { script($0, index) }
                }
            }
            close(listener)
        }
    }

    // The accepting thread closes the socket, because its descriptor could be reused while it still accepts.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// The server's URL, with a slash at the end.
    package var url: String { "https://127.0.0.1:\(port)/" }
}

/// OpenSSL's settings for a connection.
private final class TLSContext {
    let handle: OpaquePointer

    init?(_ certificate: TestCertificate, speaksHTTP2: Bool, onlyTLS10: Bool) {
        guard let handle = SSL_CTX_new(TLS_server_method()) else { return nil }
        self.handle = handle
        guard SSL_CTX_use_certificate_file(handle, certificate.file, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_use_PrivateKey_file(handle, certificate.keyFile, SSL_FILETYPE_PEM) == 1
        else { return nil }
        if onlyTLS10 {
            SSL_CTX_set_cipher_list(handle, "ALL:@SECLEVEL=0")
            for option in [SSL_CTRL_SET_MIN_PROTO_VERSION, SSL_CTRL_SET_MAX_PROTO_VERSION] {
                SSL_CTX_ctrl(handle, option, Int(TLS1_VERSION), nil)
            }
        }
        guard speaksHTTP2 else { return }
        SSL_CTX_set_alpn_select_cb(
            handle,
            { _, chosen, count, offered, length, _ in
                guard let offered else { return SSL_TLSEXT_ERR_NOACK }
                // The client's ALPN list: names, each prefixed with its length.
                let names = UnsafeBufferPointer(start: offered, count: Int(length))
                for place in names.indices.dropLast(2)
                where names[place...].starts(with: [2] + Array("h2".utf8)) {
                    chosen?.pointee = offered + place + 1
                    count?.pointee = 2
                    return SSL_TLSEXT_ERR_OK
                }
                return SSL_TLSEXT_ERR_NOACK
            }, nil)
    }

    deinit { SSL_CTX_free(handle) }
}

/// A client's connection, for the script of a ``TLSServer``; used on one thread only.
package final class TLSConnection {
    private let ssl: OpaquePointer
    private let reads: CallCounter

    private init?(on descriptor: Int32, _ context: TLSContext, _ reads: CallCounter) {
        guard let ssl = SSL_new(context.handle) else { return nil }
        self.ssl = ssl
        self.reads = reads
        guard SSL_set_fd(ssl, descriptor) == 1, SSL_accept(ssl) == 1 else { return nil }
    }

    deinit { SSL_free(ssl) }

    fileprivate static func serve(
        _ descriptor: Int32, _ context: TLSContext, _ reads: CallCounter, _ script: (TLSConnection) -> Void
    ) {
        defer {
            // A program being started may have inherited the descriptor.
            shutdown(descriptor, Int32(SHUT_RDWR))
            close(descriptor)
        }
        // A client may have closed the connection when OpenSSL writes.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        guard let connection = TLSConnection(on: descriptor, context, reads) else { return }
        script(connection)
        SSL_shutdown(connection.ssl)
    }

    /// Blocks until bytes arrive, and returns them; nil at the end.
    @discardableResult
    package func read() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = SSL_read(ssl, &bytes, Int32(bytes.count))
        guard count > 0 else { return nil }
        reads.increment()
        return Array(bytes[..<Int(count)])
    }

    /// Reads `count` bytes; nil if the stream ends before.
    package func read(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var piece = [UInt8](repeating: 0, count: count - bytes.count)
            let length = SSL_read(ssl, &piece, Int32(piece.count))
            guard length > 0 else { return nil }
            bytes += piece[..<Int(length)]
        }
        reads.increment()
        return bytes
    }

    package func write(_ bytes: [UInt8]) { SSL_write(ssl, bytes, Int32(bytes.count)) }

    package func write(_ text: String) { write(Array(text.utf8)) }

    /// Blocks until the client's socket has all that was written, or the connection has ended.
    package func waitForDelivery() { AlcedoTestSupport.waitForDelivery(on: SSL_get_fd(ssl)) }
}
