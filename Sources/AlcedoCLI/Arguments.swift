import Alcedo
import CGetopt
import Foundation
import Glibc

/// The options and operands of one command, read with `getopt_long`.
struct Arguments {
    /// An option of a command.
    struct Option {
        let name: String
        let letter: Character?
        let takesValue: Bool

        static func flag(_ name: String, _ letter: Character? = nil) -> Option {
            Option(name: name, letter: letter, takesValue: false)
        }

        static func value(_ name: String, _ letter: Character? = nil) -> Option {
            Option(name: name, letter: letter, takesValue: true)
        }
    }

    private var values: [String: [String]] = [:]

    /// The arguments that are no options, in order.
    private(set) var operands: [String] = []

    /// Reads `words`, the first of which is the command's name.
    init(_ words: [String], options: [Option]) throws {
        let options = options + [.flag("help", "h")]
        var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0.systemBytes) } + [nil]
        let names = options.map { strdup($0.name) }
        let all = argv
        defer { for pointer in all + names { free(pointer) } }
        var table = options.indices.map { index in
            option(
                name: names[index],
                has_arg: options[index].takesValue ? required_argument : no_argument,
                flag: nil,
                val: Int32(Self.firstNumber + index)
            )
        }
        table.append(option(name: nil, has_arg: 0, flag: nil, val: 0))
        let letters = options.compactMap { option in
            option.letter.map { String($0) + (option.takesValue ? ":" : "") }
        }
        alcedo_getopt_restart()
        while true {
            // With "-", operands are found in their place too, as 1, so that this is the word that is read next.
            let word = words[min(max(1, Int(alcedo_getopt_index())), words.count - 1)]
            let found = getopt_long(Int32(words.count), &argv, "-:" + letters.joined(), table, nil)
            if found == -1 { break }
            if found == 1 {
                operands.append(String(systemBytes: alcedo_getopt_value()))
                continue
            }
            let index = options.firstIndex {
                Int32($0.letter?.asciiValue ?? 0) == found
                    || found >= Self.firstNumber && options[Int(found) - Self.firstNumber].name == $0.name
            }
            guard let index else {
                throw UsageError(message: Self.problem(of: word, found: found, options: options))
            }
            let value = options[index].takesValue ? String(systemBytes: alcedo_getopt_value()) : ""
            values[options[index].name, default: []].append(value)
        }
        operands += words[min(Int(alcedo_getopt_index()), words.count)...]
    }

    /// The number of the first option, above all letters.
    private static let firstNumber = 1000

    /// What is wrong with a word that getopt rejects.
    private static func problem(of word: String, found: Int32, options: [Option]) -> String {
        if found == UInt8(ascii: ":") { return "option \(word) requires a value" }
        let rejected = Int(alcedo_getopt_rejected())
        if rejected >= firstNumber {
            return "option --\(options[rejected - firstNumber].name) takes no value"
        }
        if access(word.systemBytes, F_OK) == 0 {
            return "unknown option \(word); for the file of that name, write ./\(word)"
        }
        if rejected > 0, options.contains(where: { $0.name == word.dropFirst() }) {
            return "unknown option \(word); write -\(word)"
        }
        return "unknown option \(word)"
    }

    /// Whether an option was given.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The last value of an option; nil if it was not given.
    func value(_ name: String) -> String? { values[name]?.last }

    /// All values of an option that may be repeated, in order.
    func values(_ name: String) -> [String] { values[name] ?? [] }

    /// A value like `300x200`: two whole numbers of pixels, each from 1 to 65,535.
    func size(_ name: String) throws -> CGSize? {
        guard let text = value(name) else { return nil }
        guard let size = CGSize(sides: text) else {
            throw UsageError(
                message: "--\(name) takes WIDTHxHEIGHT in pixels, such as 300x200, not “\(text)”")
        }
        return size
    }

    /// A number in plain decimal notation.
    func number(_ name: String, _ range: NumberRange) throws -> Double? {
        guard let text = value(name) else { return nil }
        guard let number = range.number(text) else {
            throw UsageError(message: "--\(name) takes \(range), not “\(text)”")
        }
        return number
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(
                message: "--\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound), "
                    + "not “\(text)”")
        }
        return number
    }
}
