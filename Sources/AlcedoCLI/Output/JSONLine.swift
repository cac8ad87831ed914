import AlcedoConsole
import Foundation

/// One line of JSON with sorted keys.
func jsonLine(_ object: [String: Any]) -> String {
    guard
        let data = try? JSONSerialization.data(
            withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
    else { preconditionFailure("only texts, numbers, and lists and objects of them are printed") }
    // JSON has escaped the control characters itself.
    return printable(String(decoding: data, as: UTF8.self)) + "\n"
}
