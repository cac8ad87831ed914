import CSSL
import Foundation

extension ServerCertificate {
    /// What the server has sent, its own certificate first.
    static func chain(in context: OpaquePointer) -> [ServerCertificate] {
        (0..<alcedo_chain_count(context)).compactMap { index in
            alcedo_chain_certificate(context, index).flatMap(ServerCertificate.init(_:))
        }
    }

    private init?(_ certificate: OpaquePointer) {
        var count: Int32 = 0
        guard let bytes = alcedo_certificate_der(certificate, &count) else { return nil }
        defer { alcedo_free(bytes) }
        der = Data(bytes: bytes, count: Int(count))
        fingerprint = Self.fingerprint(of: certificate)
        subject = Self.text(X509_get_subject_name(certificate))
        issuer = Self.text(X509_get_issuer_name(certificate))
        validFrom = Date(timeIntervalSince1970: Double(alcedo_seconds(X509_get0_notBefore(certificate))))
        validUntil = Date(timeIntervalSince1970: Double(alcedo_seconds(X509_get0_notAfter(certificate))))
        alternativeNames = Self.names(of: certificate)
    }

    /// Empty if it cannot be calculated.
    private static func fingerprint(of certificate: OpaquePointer) -> Data {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard X509_digest(certificate, EVP_sha256(), &bytes, &count) == 1 else { return Data() }
        return Data(bytes.prefix(Int(count)))
    }

    private static func text(_ name: OpaquePointer?) -> String {
        guard let name, let text = alcedo_name_text(name) else { return "" }
        defer { alcedo_free(text) }
        return String(cString: text)
    }

    private static func names(of certificate: OpaquePointer) -> [String] {
        var names: [String] = []
        withUnsafeMutablePointer(to: &names) { names in
            alcedo_visit_names(certificate, names) { names, bytes, count, isAddress in
                guard let bytes, let names = names?.assumingMemoryBound(to: [String].self) else { return }
                let text = UnsafeBufferPointer(start: bytes, count: Int(count))
                let name =
                    isAddress == 0 ? String(decoding: text, as: UTF8.self) : ServerCertificate.address(text)
                if let name { names.pointee.append(name) }
            }
        }
        return names
    }

    private static func address(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes.baseAddress, &text, socklen_t(text.count)) != nil else { return nil }
        return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }
}
