import AlcedoTransport
import Foundation

/// The proxies of a session configuration's `connectionProxyDictionary`, under CFNetwork's names.
///
/// Without a dictionary the environment's proxies are used; an empty one disables proxies.
struct ProxySettings: Sendable {
    private let http: TransportProxy
    private let https: TransportProxy

    init(_ dictionary: [AnyHashable: Any]?) {
        guard let dictionary else {
            (http, https) = (.environment, .environment)
            return
        }
        let socks = Self.server(.socks5, "SOCKS", in: dictionary)
        http = (Self.server(.http, "HTTP", in: dictionary) ?? socks).map(TransportProxy.server) ?? .none
        https = (Self.server(.http, "HTTPS", in: dictionary) ?? socks).map(TransportProxy.server) ?? .none
    }

    func proxy(for url: URL) -> TransportProxy {
        url.scheme?.lowercased() == "https" ? https : http
    }

    private static func server(
        _ kind: ProxyServer.Kind,
        _ prefix: String,
        in dictionary: [AnyHashable: Any]
    ) -> ProxyServer? {
        guard isOn(dictionary[prefix + "Enable"]), let host = dictionary[prefix + "Proxy"] as? String else {
            return nil
        }
        let usual = kind == .socks5 ? 1080 : prefix == "HTTPS" ? 443 : 80
        let port = (dictionary[prefix + "Port"] as? any BinaryInteger).map { Int(clamping: $0) } ?? usual
        return ProxyServer(kind, host: host, port: port) { proxy in
            proxy.bypassedHosts = dictionary["ExceptionsList"] as? [String] ?? []
            if let user = (dictionary[prefix + "User"] ?? dictionary["kCFProxyUsernameKey"]) as? String {
                let password = dictionary["kCFProxyPasswordKey"] as? String ?? ""
                proxy.credential = TransportCredential(user: user, password: password)
            }
        }
    }

    static func isOn(_ value: Any?) -> Bool {
        (value as? Bool) ?? ((value as? Int).map { $0 != 0 } ?? false)
    }
}
