import AlcedoPixels
import CIsolation
import Glibc

/// The restrictions of a worker, applied before it reads untrusted bytes.
struct Restrictions {
    let memoryLimit: Int
    let readsFonts: Bool

    /// Restricts this single-threaded process.
    ///
    /// - Returns: the level reached; nil if not even the lowest can be applied.
    func apply(upTo wanted: DecodeSandbox.Level) -> DecodeSandbox.Level? {
        // The kernel lets a process without privileges use Landlock and filters only once it can have no new ones.
        guard limit(), alcedo_give_up_privileges() == 0 else { return nil }
        // A sanitizer reads files and maps terabytes.
        let isRestricted = alcedo_is_sanitized() == 0 && wanted > .process
        // Before there is another thread: Landlock binds this one and those that it starts.
        let hasLandlock = isRestricted && wanted == .files && restrictFiles()
        // Not PDEATHSIG, which follows the thread that has started this process: pools end threads (decision 0023).
        guard alcedo_end_with(3) == 0 else { return nil }
        guard isRestricted else { return .process }
        guard SystemCalls(readsFiles: readsFonts).restrict() else { return .process }
        return hasLandlock ? .files : .systemCalls
    }

    private func limit() -> Bool {
        var limits: [(Int32, UInt64)] = [
            (alcedo_limit_core, 0), (alcedo_limit_file_size, 0), (alcedo_limit_files, 64),
            // Ends a worker whose program has vanished.
            (alcedo_limit_cpu, 3600),
        ]
        if alcedo_is_sanitized() == 0 {
            // Threads reserve addresses that they never use, as many as the machine has cores; real memory is watched by
            // the other process.
            let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
            let addresses = min(max(memoryLimit, 0), 1 << 46) + 1 << 30 + cores * 64 << 20
            limits.append((alcedo_limit_address_space, UInt64(addresses)))
        }
        return limits.allSatisfy { alcedo_limit($0.0, $0.1) == 0 }
    }

    private func restrictFiles() -> Bool {
        let paths = (readsFonts ? FontFolders.paths : []).map { strdup($0) }
        defer { for path in paths { free(path) } }
        let list = paths.map { UnsafePointer($0) } + [nil]
        return alcedo_landlock(list) == 0
    }
}

/// The folders of fonts and of their configuration.
private enum FontFolders {
    static var paths: [String] {
        let system = [
            "/etc/fonts", "/usr/share/fontconfig", "/usr/share/fonts", "/usr/local/share/fonts",
            "/usr/share/xml/fontconfig", "/var/cache/fontconfig", "/nix/store", "/gnu/store",
        ]
        let home = variable("HOME")
        let own = [
            home.map { $0 + "/.fonts" },
            home.map { $0 + "/.fontconfig" },
            (variable("XDG_DATA_HOME") ?? home.map { $0 + "/.local/share" }).map { $0 + "/fonts" },
            (variable("XDG_CONFIG_HOME") ?? home.map { $0 + "/.config" }).map { $0 + "/fontconfig" },
            (variable("XDG_CACHE_HOME") ?? home.map { $0 + "/.cache" }).map { $0 + "/fontconfig" },
            variable("FONTCONFIG_PATH"),
            variable("FONTCONFIG_FILE"),
        ]
        return system + own.compactMap(\.self)
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
