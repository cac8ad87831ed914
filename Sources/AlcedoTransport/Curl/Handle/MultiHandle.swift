import CCurl
import CSSL

/// libcurl's multi handle: transfers in flight, open connections, cached names.
///
/// Safe because ``wakeUp()`` may be called on any thread, which libcurl documents, and everything else is called by
/// the loop on its own thread; `deinit` runs after the last reference.
final class MultiHandle: @unchecked Sendable {
    /// Most idle connections, unless the limit of connections is lower.
    private static let keptConnections = 64

    private let handle: OpaquePointer

    /// The sockets that libcurl opens and closes, until `deinit` has ended.
    let sockets = SocketTable()

    /// Nil if there is no memory, or no descriptor for waking it.
    init?() {
        guard CurlLibrary.isReady, let pointer = curl_multi_init() else { return nil }
        guard curl_multi_wakeup(pointer) == CURLM_OK else {
            curl_multi_cleanup(pointer)
            return nil
        }
        handle = OpaquePointer(pointer)
        alcedo_curl_multi_set_long(pointer, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        alcedo_curl_multi_set_long(
            pointer, CURLMOPT_MAX_CONCURRENT_STREAMS, OriginQueue<CurlTransfer>.streamLimit)
    }

    deinit { curl_multi_cleanup(pointer) }

    /// Limits connections, idle ones included: at the limit libcurl closes an idle one before it opens another.
    func limitConnections(to count: Int) {
        alcedo_curl_multi_set_long(pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, count)
        alcedo_curl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, min(count, Self.keptConnections))
    }

    private var pointer: UnsafeMutableRawPointer { UnsafeMutableRawPointer(handle) }

    /// Ends a ``wait(seconds:)``, the current or the next; on any thread.
    func wakeUp() { curl_multi_wakeup(pointer) }

    /// Waits for activity on a connection, a timeout of libcurl's, or ``wakeUp()``.
    func wait(seconds: Double) {
        // An hour at most, because `seconds` may be infinite.
        let milliseconds = min(max(0, (seconds * 1000).rounded(.up)), 3_600_000)
        curl_multi_poll(pointer, nil, 0, Int32(milliseconds), nil)
    }

    /// Reads and writes without blocking; calls the transfers' callbacks.
    func perform() {
        var running: Int32 = 0
        curl_multi_perform(pointer, &running)
    }

    func add(_ easy: EasyHandle) -> Bool { curl_multi_add_handle(pointer, easy.pointer) == CURLM_OK }

    func remove(_ easy: EasyHandle) { curl_multi_remove_handle(pointer, easy.pointer) }

    /// The next ended request; nil if there is none.
    func nextDone() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(pointer, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
                continue
            }
            return (easy, message.pointee.data.result)
        }
        return nil
    }
}

/// libcurl as a whole.
enum CurlLibrary {
    /// Initialized once for the process, at first use.
    ///
    /// Disables OpenSSL's cleanup in `exit`, because this library's threads may still use it then.
    static let isReady =
        alcedo_crypto_stays() && curl_global_init(alcedo_curl_global_all) == CURLE_OK

    /// libcurl's version as one number: `0x075801` for 7.88.1; 0 if unknown.
    private static let version = curl_version_info(alcedo_curl_version_now)?.pointee.version_num ?? 0

    /// Whether libcurl counts a request's whole body among its header bytes; before 8.7 only a body below 64 KiB.
    ///
    /// So did 8.14.1, 8.16.0 and 8.23.0.
    static let countsLongBodies = version >= 0x08_07_00

    /// Whether HTTP/2 transfers can hang until ``EasyHandle/nudge()`` is called.
    ///
    /// libcurl 7.88.1 hangs in `large bodies side by side over HTTP/2 all arrive` in one of a few runs; 8.23.0 never
    /// does. The versions between them are untested and count as fixed.
    static let forgetsBufferedStreams = version < 0x08_00_00

    /// Whether libcurl writes a request from the cookies of a shared jar after it has unlocked the jar.
    ///
    /// 7.88.1 copies them under the lock. 8.14.1 does not, and crashes if another thread replaces one meanwhile. 8.16.0
    /// keeps the lock. The other versions between them are untested and count as faulty.
    static let readsCookiesUnlocked = (0x08_00_00..<0x08_10_00).contains(version)

    /// libcurl's TLS backend: `OpenSSL/3.0.19`, for example; one in parentheses is not in use.
    static let tlsBackend =
        curl_version_info(alcedo_curl_version_now)?.pointee.ssl_version.map { String(cString: $0) }
        ?? "nothing"

    /// Whether that is the OpenSSL that this library is linked with.
    static let usesOpenSSL = tlsBackend.split(separator: " ").contains {
        $0.hasPrefix("OpenSSL/\(OPENSSL_version_major()).")
    }
}
