import Foundation
import Glibc

/// The folders that Foundation creates with a program's first session configuration.
///
/// One is for a cache that is not used here, and one for cookies, in plain text. By default all users can read both.
package enum FoundationFolders {
    /// Restricts them to their owner (0700), before or after Foundation has created them.
    package static func makePrivate() { _ = arePrivate }

    private static let arePrivate: Void = {
        let files = FileManager.default
        let name = URL(fileURLWithPath: Bundle.main.bundlePath).deletingPathExtension().lastPathComponent
        makePrivate(
            caches: files.urls(for: .cachesDirectory, in: .userDomainMask).first,
            cookies: files.urls(for: .applicationSupportDirectory, in: .userDomainMask).first?
                .appending(path: name))
    }()

    /// Restricts a folder of caches, and one of cookies; a folder with other files is the program's, and stays unchanged.
    static func makePrivate(caches: URL?, cookies: URL?) {
        if let caches { makePrivate(caches.appending(path: "org.swift.foundation.URLCache").path) }
        guard let path = cookies?.path else { return }
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        if files.allSatisfy({ $0.hasPrefix(".cookies.") }) { makePrivate(path) }
    }

    private static func makePrivate(_ path: String) {
        guard (try? makeFolder(path)) != nil, let file = attributes(ofPath: path), file.isDirectory,
            file.st_uid == getuid(), file.st_mode & 0o077 != 0
        else { return }
        chmod(path, 0o700)
    }
}
