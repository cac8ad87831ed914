import CCurl
import Foundation

/// libcurl's share handle, with a jar's cookies.
///
/// Freed with its last reference; an attached easy handle keeps one. Safe because libcurl locks shared data with ``lock``.
final class CookieShare: @unchecked Sendable {
    /// Guards the cookies of all jars.
    ///
    /// One lock, because a loop may hold it while libcurl locks another jar. Recursive, because libcurl also locks it
    /// while the loop's ``CookieHold`` has it.
    static let lock = NSRecursiveLock()

    let pointer: UnsafeMutableRawPointer?

    init() {
        pointer = CurlLibrary.isReady ? UnsafeMutableRawPointer(curl_share_init()) : nil
        guard let pointer else { return }
        alcedo_curl_share_locks(
            pointer, { _, _, _, _ in CookieShare.lock.lock() }, { _, _, _ in CookieShare.lock.unlock() }, nil)
        alcedo_curl_share(pointer, CURL_LOCK_DATA_COOKIE)
    }

    deinit {
        if let pointer { curl_share_cleanup(pointer) }
    }
}

/// Keeps all jars locked while libcurl writes a request; see ``CurlLibrary/readsCookiesUnlocked``.
///
/// libcurl writes it after ``CurlTransfer/connected(_:)`` and before its next callback, or before it returns.
struct CookieHold {
    private var isHeld = false

    /// Call before libcurl reads a jar's cookies.
    mutating func start() {
        guard CurlLibrary.readsCookiesUnlocked, !isHeld else { return }
        CookieShare.lock.lock()
        isHeld = true
    }

    /// Call before foreign code runs, and when libcurl returns.
    mutating func end() {
        guard isHeld else { return }
        isHeld = false
        CookieShare.lock.unlock()
    }
}
