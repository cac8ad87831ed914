import CCurl
import Foundation

/// libcurl's share handle, with a jar's cookies.
///
/// Freed with its last reference; an attached easy handle keeps one. Safe because libcurl locks shared data with the mutexes
/// given here.
final class CookieShare: @unchecked Sendable {
    /// libcurl's handle.
    let pointer: UnsafeMutableRawPointer?

    /// One mutex for each kind of data that libcurl locks.
    private let mutexes: UnsafeMutablePointer<pthread_mutex_t>
    private static let mutexCount = Int(CURL_LOCK_DATA_LAST.rawValue)

    init() {
        mutexes = .allocate(capacity: Self.mutexCount)
        mutexes.initialize(repeating: pthread_mutex_t(), count: Self.mutexCount)
        var kind = pthread_mutexattr_t()
        pthread_mutexattr_init(&kind)
        pthread_mutexattr_settype(&kind, Int32(PTHREAD_MUTEX_RECURSIVE))
        for index in 0..<Self.mutexCount { pthread_mutex_init(mutexes + index, &kind) }
        pthread_mutexattr_destroy(&kind)
        pointer = CurlLibrary.isReady ? UnsafeMutableRawPointer(curl_share_init()) : nil
        guard let pointer else { return }
        alcedo_curl_share_locks(
            pointer,
            { _, data, _, user in CookieShare.mutex(data, user).map { _ = pthread_mutex_lock($0) } },
            { _, data, user in CookieShare.mutex(data, user).map { _ = pthread_mutex_unlock($0) } },
            mutexes)
        alcedo_curl_share(pointer, CURL_LOCK_DATA_COOKIE)
    }

    deinit {
        if let pointer { curl_share_cleanup(pointer) }
        for index in 0..<Self.mutexCount { pthread_mutex_destroy(mutexes + index) }
        mutexes.deallocate()
    }

    /// Runs `body` while no transfer reads or sets cookies.
    func withExclusiveCookieAccess(_ body: () -> Void) {
        let mutex = mutexes + Int(CURL_LOCK_DATA_COOKIE.rawValue)
        pthread_mutex_lock(mutex)
        body()
        pthread_mutex_unlock(mutex)
    }

    private static func mutex(
        _ data: curl_lock_data, _ user: UnsafeMutableRawPointer?
    ) -> UnsafeMutablePointer<pthread_mutex_t>? {
        user.map { $0.assumingMemoryBound(to: pthread_mutex_t.self) + Int(data.rawValue) }
    }
}
