import Alcedo
import AlcedoConsole
import Foundation

/// `alcedo cache`: manages the disk cache.
struct CacheCommand: Command {
    private enum Action: String, CaseIterable {
        case stats, list, clean, clear
    }

    static let name = "cache"
    static let synopsis = "cache stats|list|clean|clear [--json]"
    static let summary = "Measures, lists, cleans or clears the disk cache."
    static let details = """
          stats   print the folder, the number and total size of images, and how many have expired
          list    print each image, the most recently used first: name, size, last use, expiry
          clean   delete expired images
          clear   delete everything

          --json  print one JSON object per line
        """
    static let examples = [
        Example(
            #"alcedo cache stats"#,
            "shows how much the cache has"),
        Example(
            #"alcedo cache clean"#,
            "frees the space of what has expired"),
    ]
    static let options: [Arguments.Option] = [.flag("json")]

    private let action: Action
    private let printsJSON: Bool
    private let storage: DiskStorage.Backend<Data>

    init(_ arguments: Arguments) throws {
        guard arguments.operands.count == 1, let action = arguments.operands.first.flatMap(Action.init) else {
            throw UsageError(message: "cache takes one of stats, list, clean and clear")
        }
        self.action = action
        printsJSON = arguments.has("json")
        storage = CommandCache.shared.diskStorage
    }

    func run() async throws -> ExitCode {
        do {
            try perform()
        } catch KingfisherError.cacheError(reason: .diskStorageIsNotReady) {
            try CommandCache.checkFolder()
            throw KingfisherError.cacheError(reason: .diskStorageIsNotReady(cacheURL: storage.directoryURL))
        }
        return .success
    }

    private func perform() throws {
        switch action {
        case .stats: printStats(try storage.entries())
        case .list: printList(try storage.entries())
        case .clean: printRemoved(try storage.removeExpiredValues().count, "expired images")
        case .clear:
            let (removed, left) = try storage.clear()
            guard left == 0 else {
                throw Failure("\(storage.directoryURL.path): could not remove \(left) images")
            }
            printRemoved(removed, "images")
        }
    }

    private func printRemoved(_ count: Int, _ kind: String) {
        Terminal.print(printsJSON ? jsonLine(["removed": count]) : "\(count) \(kind) removed\n")
    }

    private func printStats(_ entries: [DiskStorage.Entry]) {
        let now = Date()
        let bytes = entries.reduce(0) { $0 + $1.size }
        let expired = entries.count { $0.expiry.map { $0 <= now } ?? false }
        let folder = storage.directoryURL.path
        Terminal.print(
            printsJSON
                ? jsonLine(["folder": folder, "images": entries.count, "bytes": bytes, "expired": expired])
                : "\(folder)\n\(entries.count) images, \(byteText(bytes)), \(expired) expired\n"
        )
    }

    private func printList(_ entries: [DiskStorage.Entry]) {
        let format = Date.ISO8601FormatStyle()
        guard !printsJSON else {
            for entry in entries {
                Terminal.print(
                    jsonLine([
                        "name": entry.name, "bytes": entry.size, "used": entry.lastAccess.formatted(format),
                        "expires": entry.expiry.map { $0.formatted(format) as Any } ?? NSNull(),
                    ])
                )
            }
            return
        }
        var table = Table(["name", "size", "last used", "expires"])
        for entry in entries {
            table.add([
                entry.name, byteText(entry.size), entry.lastAccess.formatted(format),
                entry.expiry?.formatted(format) ?? "never",
            ])
        }
        Terminal.print(table.text)
    }
}
