/// What can't be tried in the process of the tests: a disk that fails, a process that is killed, several processes.
///
/// `DiskTrials faults CALL`, `DiskTrials kills FOLDER COUNT LIMIT`, `DiskTrials crowd FOLDER COUNT`, `DiskTrials download
/// URL FOLDER BYTES`. Prints what went wrong, a line for each, and at last a line of figures.
@main
enum DiskTrials {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch (words.first, words.count) {
        case ("faults", 2): try await FaultTrial.run(call: words[1])
        case ("kills", 4):
            try await KillTrial(folder: words[1], limit: UInt(words[3]) ?? 0).run(Int(words[2]) ?? 0)
        case ("crowd", 3): try await CrowdTrial(folder: words[1], count: Int(words[2]) ?? 0).run()
        case ("download", 4):
            try await DownloadTrial(url: words[1], folder: words[2], bytes: Int(words[3]) ?? 0).run()
        // Further processes of these trials.
        case ("store", 4):
            try KillTrial(folder: words[1], limit: UInt(words[3]) ?? 0).storeForEver(
                round: UInt64(words[2]) ?? 0)
        case ("member", 3): try CrowdTrial(folder: words[1], count: Int(words[2]) ?? 0).beMember()
        default: print("usage: DiskTrials faults CALL | kills FOLDER COUNT LIMIT | crowd FOLDER COUNT")
        }
    }
}
