import AlcedoLocks
import CIsolation
import Glibc

/// Where helper programs are looked for: in a folder that the program names, beside the program itself, and in
/// `../libexec/alcedo` from there.
package enum HelperFolder {
    private struct State {
        var named: String?
        var memoryLimit = 2 << 30
        var found: [String: String] = [:]
    }

    private static let state = Lock(State())

    /// The folder that the program names; nil for the other places.
    package static var named: String? {
        get { state.withLock { $0.named } }
        set {
            state.withLock { state in
                state.named = newValue
                state.found = [:]
            }
        }
    }

    /// Bytes of memory that each worker may use.
    package static var memoryLimit: Int {
        get { state.withLock { $0.memoryLimit } }
        set { state.withLock { $0.memoryLimit = newValue } }
    }

    /// Where a program is; nil if it is nowhere.
    static func path(of helper: String) -> String? {
        if helper.contains("/") { return isExecutable(helper) ? helper : nil }
        if let known = state.withLock({ $0.found[helper] }) { return known }
        let paths = folders.map { "\($0)/\(helper)" }
        guard let path = paths.first(where: isExecutable) else { return nil }
        state.withLock { $0.found[helper] = path }
        return path
    }

    /// The folders in which programs are looked for, in order.
    private static var folders: [String] {
        var folders = named.map { [$0] } ?? []
        if let own = ownFolder { folders += [own, own + "/../libexec/alcedo"] }
        return folders
    }

    /// Why a program can't be used that is nowhere, and what to do; without its name for a text that has it.
    static func absence(of helper: String, isNamed: Bool = true) -> String {
        let subject = isNamed ? "its helper program \(helper)" : "the program"
        guard !helper.contains("/") else { return "\(subject) is not installed" }
        let places = folders.isEmpty ? "" : ": it is not in " + folders.joined(separator: " or ")
        return "\(subject) is not installed\(places). Build that program of Alcedo and put it there"
    }

    private static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }

    /// The folder of the running program, with links resolved; also without `/proc`.
    private static let ownFolder: String? = {
        let name = realpath("/proc/self/exe", nil) ?? alcedo_started_path().flatMap { realpath($0, nil) }
        guard let name else { return nil }
        defer { free(name) }
        let path = String(cString: name)
        return path.lastIndex(of: "/").map { String(path[..<$0]) }
    }()
}
