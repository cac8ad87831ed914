import Foundation

/// Loads, stores, requests and commands of which calls of the system hang, fail or take their time.
///
/// `HangTrials faults` checks the faults themselves. Prints what went wrong, a line for each, and at last a line of figures.
@main
enum HangTrials {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch (words.first, words.count) {
        case ("faults", 1): try FaultChecks().run()
        // Another process of these checks.
        case ("open", 2): exit(try FaultChecks().opens(words[1]))
        default: print("usage: HangTrials faults")
        }
    }
}
