import Foundation

/// Keeps all jars locked while libcurl writes a request; see ``CurlLibrary/readsCookiesUnlocked``.
///
/// libcurl writes it after ``CurlTransfer/connected(_:)`` and before its next callback, or before it returns.
struct CookieHold {
    private var isHeld = false

    /// Call before libcurl reads a jar's cookies.
    mutating func begin() {
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
