import Alcedo
public import Foundation

/// Why a call of a ``MemcachedStore`` has failed.
@nonexhaustive
public enum MemcachedError: Error, Equatable {
    /// The text is no server, or a number is out of range.
    case invalidServer(String)

    /// There is no server, or one is listed twice.
    case invalidServers

    /// The key is empty, longer than 250 bytes, or has other characters than visible ASCII.
    case invalidKey(String)

    /// The value is larger than the server's limit (`-I`).
    case tooLarge(bytes: Int)

    /// The call could not start in time, because too many are queued.
    case overloaded

    case timedOut

    /// The server is suspended, because it has failed often.
    case suspended(server: String)

    /// The server could not be used; the reason is libmemcached's.
    case failed(server: String, reason: String)
}

extension MemcachedError: SharedStoreError {
    package var isSkipped: Bool {
        switch self {
        case .suspended, .overloaded: true
        default: false
        }
    }
}

extension MemcachedError: LocalizedError, CustomStringConvertible {
    /// What failed, and what to do if something can be done.
    public var description: String {
        switch self {
        case .invalidServer(let text):
            "“\(text)” is no memcached server. Write host:port, with a port from 1 to 65535 and a weight from 1 to 1000."
        case .invalidServers: "A memcached store needs at least one server, and each only once."
        case .invalidKey(let key):
            "“\(key.prefix(80))” is no key for memcached. Use 1 to 250 visible ASCII characters."
        case .tooLarge(let bytes):
            "Could not store \(bytes) bytes in memcached: the server allows less. Raise its limit (-I) or lower the size limit."
        case .overloaded: "Could not call memcached: too many calls are queued."
        case .timedOut: "memcached did not respond in time."
        case .suspended(let server):
            "\(server) is suspended, because it has failed often."
        case .failed(let server, let reason): "\(server) failed: \(reason)."
        }
    }

    public var errorDescription: String? { description }
}
