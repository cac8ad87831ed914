import Foundation

/// What was asked for on the command line.
struct Arguments {
    static let usage = """
        usage: Gallery [URL…]
               Gallery --scroll-test [SECONDS]         scroll from end to end, and say how smooth that was
               Gallery --animate [SECONDS]             play an animation, and say how punctual it was
               Gallery --screenshot FILE PAGE          draw a page (gallery, detail, cache) as PNG

        """

    enum Mode {
        case show([URL])
        case scrollTest(seconds: Double)
        case animate(seconds: Double)
        case screenshot(file: String, page: String)
    }

    var mode: Mode

    /// Nil for what cannot be meant.
    init?(_ words: [String]) {
        let rest = Array(words.dropFirst())
        switch words.first {
        case "--scroll-test" where rest.count <= 1:
            guard let seconds = Double(rest.first ?? "120"), seconds > 0 else { return nil }
            mode = .scrollTest(seconds: seconds)
        case "--animate" where rest.count <= 1:
            guard let seconds = Double(rest.first ?? "60"), seconds > 0 else { return nil }
            mode = .animate(seconds: seconds)
        case "--screenshot" where rest.count == 2:
            mode = .screenshot(file: rest[0], page: rest[1])
        default:
            let urls = words.map { URL(string: $0) }
            guard urls.allSatisfy({ $0?.scheme != nil }) else { return nil }
            mode = .show(urls.compactMap(\.self))
        }
    }
}
