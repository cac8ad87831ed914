import Foundation
import Harness

/// Files through FileManager: written atomically and dated, or found, dated and read.
///
/// Names need no hash here.
func disk(_ arguments: Arguments) throws {
    let (count, first) = (arguments.number("count", default: 10_000), arguments.number("first", default: 0))
    let folder = URL(fileURLWithPath: arguments("folder"), isDirectory: true)
    let (manager, kind) = (FileManager.default, arguments("kind"))
    try manager.createDirectory(at: folder, withIntermediateDirectories: true)
    let start = kind == "miss" ? 1_000_000_000 : first
    let files = (start..<start + count).map {
        folder.appendingPathComponent("entry-\($0)", isDirectory: false)
    }
    let data = Data(
        (0..<arguments.number("bytes", default: 15_000)).map { UInt8(truncatingIfNeeded: $0 * 31) })
    var found = 0
    let seconds = try time {
        for file in files {
            if kind == "store" {
                try data.write(to: file, options: .atomic)
                let now = Date()
                try manager.setAttributes(
                    [.creationDate: now, .modificationDate: now.addingTimeInterval(7 * 86_400)],
                    ofItemAtPath: file.path)
            } else if manager.fileExists(atPath: file.path) {
                let attributes = try manager.attributesOfItem(atPath: file.path)
                guard let expiry = attributes[.modificationDate] as? Date, expiry > Date() else {
                    fail("expired")
                }
                found += try Data(contentsOf: file).count == data.count ? 1 : 0
            }
        }
    }
    if kind == "hit", found != count { fail("an entry is missing") }
    report([seconds / Double(count)])
}
