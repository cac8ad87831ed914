import CCurl
import CSSL
import Foundation

/// Checks a server's certificate in the handshake, for a trust scope.
///
/// A handshake with a certificate without a decision fails, so that nothing is sent; ``found`` has the certificate then. Kept
/// alive by OpenSSL's context, which may outlive the transfer.
final class TrustCheck {
    /// The server's certificates, if they need a decision.
    private(set) var found: ServerTrust?

    private let scope: TrustScope
    private let host: String
    private let asciiHost: String
    private let port: Int

    /// The host of an HTTPS proxy, if it differs from the server's.
    private let proxyName: String?

    init(_ scope: TrustScope, _ request: TransportRequest, at url: WebURL) {
        self.scope = scope
        host = url.host
        asciiHost = url.asciiHost
        port = url.port
        if case .server(let proxy) = request.proxy, proxy.kind == .https, proxy.host.lowercased() != asciiHost
        {
            proxyName = proxy.host.lowercased()
        } else {
            proxyName = nil
        }
    }

    /// OpenSSL's verify callback: 1 to accept the certificate, 0 to fail.
    fileprivate func verify(_ context: OpaquePointer) -> Int32 {
        if let proxyName, let name = alcedo_server_name(context), String(cString: name) == proxyName {
            // libcurl checks the proxy's name.
            return X509_verify_cert(context)
        }
        let certificates = ServerCertificate.chain(in: context)
        guard let leaf = certificates.first, let subject = subject(of: leaf) else { return 0 }
        let decision = scope.decisions[subject]
        if decision == .accepted {
            // libcurl reads this result of the handshake, too.
            X509_STORE_CTX_set_error(context, X509_V_OK)
            return 1
        }
        let isValid = alcedo_expect_host(context, asciiHost) == 1 && X509_verify_cert(context) == 1
        if isValid, decision == .whileValid { return 1 }
        let error = X509_STORE_CTX_get_error(context)
        let defect = String(cString: X509_verify_cert_error_string(Int(error)))
        found = ServerTrust(
            host: host, port: port, certificates: certificates, defect: isValid ? nil : defect)
        X509_STORE_CTX_set_error(context, X509_V_ERR_APPLICATION_VERIFICATION)
        return 0
    }

    private func subject(of leaf: ServerCertificate) -> TrustDecisions.Subject? {
        guard !leaf.fingerprint.isEmpty else { return nil }
        return .init(host: host, port: port, fingerprint: leaf.fingerprint)
    }

    // MARK: - OpenSSL's side

    /// The index of a TLS context's check, which is released with the context.
    private static let index = alcedo_context_place { _, check, _, _, _, _ in
        if let check { Unmanaged<TrustCheck>.fromOpaque(check).release() }
    }

    /// Sets this object as the context's verify callback; false if that fails.
    func watch(_ context: OpaquePointer) -> Bool {
        let check = Unmanaged.passRetained(self)
        guard Self.index >= 0, alcedo_context_keep(context, Self.index, check.toOpaque()) == 1 else {
            check.release()
            return false
        }
        // A renegotiation could bring another certificate after the request was sent.
        alcedo_forbid_renegotiation(context)
        SSL_CTX_set_cert_verify_callback(
            context,
            { context, check in
                guard let context, let check else { return 0 }
                return Unmanaged<TrustCheck>.fromOpaque(check).takeUnretainedValue().verify(context)
            }, check.toOpaque())
        return true
    }
}

extension EasyHandle {
    /// Has `transfer` check the certificates of its connections.
    func watchCertificates(for transfer: CurlTransfer) -> Bool {
        let user = Unmanaged.passUnretained(transfer).toOpaque()
        alcedo_curl_set_pointer(pointer, CURLOPT_SSL_CTX_DATA, user)
        let status = alcedo_curl_set_tls_setup(pointer) { _, context, user in
            guard let context, let user, CurlTransfer.at(user).watch(OpaquePointer(context)) else {
                return CURLE_ABORTED_BY_CALLBACK
            }
            return CURLE_OK
        }
        return status == CURLE_OK
    }
}

extension CurlTransfer {
    fileprivate func watch(_ context: OpaquePointer) -> Bool {
        guard let scope = request.trustScope else { return false }
        let check = TrustCheck(scope, request, at: url)
        self.check = check
        return check.watch(context)
    }
}
