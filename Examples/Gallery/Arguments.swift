import Foundation

/// The parsed command line.
struct Arguments {
    static let usage = """
        usage: Gallery [URL…]
               Gallery --scroll-test [SECONDS]         scroll from end to end, and print frame times
               Gallery --animate [SECONDS]             play an animation, and print the lateness of its frames
               Gallery --hidden-animations [COUNT]     play animations, and print their processor time, shown and hidden
               Gallery --main-queue [LOADS]            keep the main queue busy, and print how many frames are drawn
               Gallery --first-picture FILE            show a picture, and end when it is painted
               Gallery --screenshot FILE PAGE [WIDTH]  draw a page as PNG: gallery, detail, cache; or orientation, formats,
                                                       failures, and print what its tiles show

        """

    enum Mode {
        case show([URL])
        case scrollTest(seconds: Double)
        case animate(seconds: Double)
        case hiddenAnimations(count: Int)
        case mainQueue(loads: Int)
        case firstPicture(file: String)
        case screenshot(file: String, page: String, width: Int32?)
    }

    var mode: Mode

    /// Nil for invalid arguments.
    init?(_ words: [String]) {
        let values = Array(words.dropFirst())
        switch words.first {
        case "--scroll-test" where values.count <= 1:
            guard let seconds = Double(values.first ?? "120"), seconds > 0 else { return nil }
            mode = .scrollTest(seconds: seconds)
        case "--animate" where values.count <= 1:
            guard let seconds = Double(values.first ?? "60"), seconds > 0 else { return nil }
            mode = .animate(seconds: seconds)
        case "--hidden-animations" where values.count <= 1:
            guard let count = Int(values.first ?? "50"), count > 0 else { return nil }
            mode = .hiddenAnimations(count: count)
        case "--main-queue" where values.count <= 1:
            guard let loads = Int(values.first ?? "5000"), loads > 0 else { return nil }
            mode = .mainQueue(loads: loads)
        case "--first-picture" where values.count == 1:
            mode = .firstPicture(file: values[0])
        case "--screenshot" where values.count == 2:
            mode = .screenshot(file: values[0], page: values[1], width: nil)
        case "--screenshot" where values.count == 3:
            guard let width = Int32(values[2]), width > 0 else { return nil }
            mode = .screenshot(file: values[0], page: values[1], width: width)
        default:
            let urls = words.map { URL(string: $0) }
            guard urls.allSatisfy({ $0?.scheme != nil }) else { return nil }
            mode = .show(urls.compactMap(\.self))
        }
    }
}
