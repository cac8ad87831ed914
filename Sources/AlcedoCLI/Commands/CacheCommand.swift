import Alcedo
import AlcedoConsole
import Foundation

/// `alcedo cache`: looks after the disk cache.
struct CacheCommand: Command {
    static let name = "cache"
    static let synopsis = "cache stats|list|clean|clear [--json]"
    static let summary = "Measures, lists, cleans or clears the disk cache."
    static let details = """
          stats   the folder, the number of images, their size, and how many have expired
          list    a line for each image: name, size, last use, expiry
          clean   removes what has expired
          clear   removes everything

          --json  stats and list as lines of JSON
        """
    static let options: [Arguments.Option] = [.flag("json")]

    init(_ arguments: Arguments) throws {
    }

    func run() async throws -> ExitCode {
        .success
    }
}
