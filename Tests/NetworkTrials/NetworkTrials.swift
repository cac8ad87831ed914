import AlcedoTransport
import Foundation

/// What can't be tried in the process of the tests: too few descriptors, and a name server that never responds.
///
/// `NetworkTrials late URL`, `NetworkTrials origins COUNT LIMIT PORT`, `NetworkTrials idle COUNT PORT`,
/// `NetworkTrials taken COUNT FREE PORT` and `NetworkTrials lookup ADDRESS URL`. Prints a line for each load, or for each kind of outcome.
@main
enum NetworkTrials {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        let numbers = words.dropFirst().map { Int($0) ?? 0 }
        switch (words.first, words.count) {
        case ("late", 2): DescriptorTrial.late(words[1])
        case ("origins", 4): DescriptorTrial.origins(numbers[0], limit: numbers[1], port: numbers[2])
        case ("idle", 3): DescriptorTrial.idle(numbers[0], port: numbers[1])
        case ("taken", 4): DescriptorTrial.taken(numbers[0], free: numbers[1], port: numbers[2])
        case ("lookup", 3): LookupTrial.hang(at: words[1], words[2])
        default: print("usage: NetworkTrials late | origins | idle | taken | lookup, with their numbers")
        }
    }
}
