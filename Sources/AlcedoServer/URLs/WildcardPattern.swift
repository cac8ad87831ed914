/// The prefix of a URL; `*` stands for any bytes but `/`, as many as possible.
struct WildcardPattern: Sendable, Equatable {
    private let literals: [[UInt8]]

    init(_ text: String) {
        literals = Array(text.utf8).parts(by: UInt8(ascii: "*")).map(Array.init)
    }

    /// A match: how much of the text it covers, and what each `*` stands for.
    struct Match: Equatable {
        var length: Int
        var wildcards: [Range<Int>]
    }

    /// Matches a prefix of `text`; no `*` covers the index `barrier`, nor what a server may take for a
    /// slash if `coversNoSlash`.
    ///
    /// Linear in the text for each `*`, whatever the text.
    func match(_ text: [UInt8], barrier: Int = .max, coversNoSlash: Bool = false) -> Match? {
        guard text.starts(with: literals[0]) else { return nil }
        guard literals.count > 1 else { return Match(length: literals[0].count, wildcards: []) }
        let runs = Self.runs(of: text) {
            text[$0] == .slash || coversNoSlash && text.isEncodedSlash(at: $0)
        }
        var starts = [literals[0].count]
        var ends: [Int] = []
        // For each `*`, the least end that was tried in vain, and the run of bytes that this holds for.
        var tried = [(run: Int, end: Int)](repeating: (-1, 0), count: literals.count)
        while starts.count < literals.count {
            let star = starts.count
            let start = starts[star - 1]
            let run = runs[start]
            let limit = start <= barrier ? min(run, barrier) : run
            if tried[star].run != run { tried[star] = (run, limit + 1) }
            var end = min(tried[star].end - 1, limit)
            while end >= start, !text[end...].starts(with: literals[star]) { end -= 1 }
            tried[star].end = min(tried[star].end, max(end, start))
            if end >= start {
                ends.append(end)
                starts.append(end + literals[star].count)
            } else {
                starts.removeLast()
                guard ends.popLast() != nil else { return nil }
            }
        }
        return Match(length: starts[literals.count - 1], wildcards: zip(starts, ends).map { $0..<$1 })
    }

    /// For each index, and the end, where the next slash or the end is.
    private static func runs(of text: [UInt8], isSlash: (Int) -> Bool) -> [Int] {
        var runs = [Int](repeating: text.count, count: text.count + 1)
        for index in text.indices.reversed() { runs[index] = isSlash(index) ? index : runs[index + 1] }
        return runs
    }
}

extension [UInt8] {
    /// Whether a backslash, `%2F` or `%5C` starts here, which a server may take for a slash, encoded
    /// several times too.
    fileprivate func isEncodedSlash(at index: Int) -> Bool {
        if self[index] == UInt8(ascii: "\\") { return true }
        guard self[index] == .percent else { return false }
        var rest = self[(index + 1)...]
        while rest.starts(with: "25".utf8) { rest = rest.dropFirst(2) }
        let digits = rest.prefix(2).map(\.asciiLowercased)
        return digits.elementsEqual("2f".utf8) || digits.elementsEqual("5c".utf8)
    }
}

/// A rule of `URL_REPLACEMENTS`.
package struct URLReplacement: Sendable, Equatable {
    private let pattern: WildcardPattern
    private let text: [UInt8]

    /// Reads `pattern=text;…`, where `${1}` in a text is what the first `*` stands for; nil if a rule has another form.
    package static func list(_ texts: String) -> [URLReplacement]? {
        var rules: [URLReplacement] = []
        for rule in texts.split(separator: ";") {
            let sides = rule.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, !sides[0].isEmpty else { return nil }
            let pattern = WildcardPattern(String(sides[0]))
            rules.append(URLReplacement(pattern: pattern, text: Array(sides[1].utf8)))
        }
        return rules
    }

    /// The source with its prefix replaced, if the pattern matches.
    ///
    /// - Throws: if what a `*` stands for would put another host in the place of one that the text names.
    func applied(to url: [UInt8]) throws(URLFailure) -> [UInt8] {
        guard let match = pattern.match(url) else { return url }
        var replaced: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "$"), rest.first == UInt8(ascii: "{"),
                let end = rest.firstIndex(of: UInt8(ascii: "}")),
                let number = Int(rest[(rest.startIndex + 1)..<end].text), number > 0
            {
                rest = rest[(end + 1)...]
                guard number <= match.wildcards.count else { continue }
                let part = url[match.wildcards[number - 1]]
                guard SourcePrefix(bytes: replaced).keepsHost(with: part, before: rest) else {
                    throw URLFailure(.forbiddenSource, "the source changes the host of a replacement")
                }
                replaced += part
            } else {
                replaced.append(byte)
            }
        }
        return SourcePrefix(bytes: replaced).followed(by: url[match.length...])
    }
}

/// What a setting puts in front of a source, which must not choose another host than the setting: with
/// `@other.test` after `https://example.com`, for example.
struct SourcePrefix {
    let bytes: [UInt8]

    /// The part of a host at the end; nil if it ends before or after one.
    private var host: ArraySlice<UInt8>? {
        guard let slashes = bytes.firstIndex(of: Array("://".utf8)) else { return nil }
        let rest = bytes[(slashes + 3)...]
        return rest.contains { "/?#\\".utf8.contains($0) } ? nil : rest
    }

    private var endsInHost: Bool { host?.isEmpty == false }

    /// Whether a URL starts with it, with the whole host.
    func isPrefix(of url: [UInt8]) -> Bool {
        guard url.starts(with: bytes) else { return false }
        return !endsInHost || url.dropFirst(bytes.count).first.map { "/?#".utf8.contains($0) } ?? true
    }

    /// The pattern with a source after it; with a `/` between them if the source would continue the host.
    func followed(by rest: ArraySlice<UInt8>) -> [UInt8] {
        guard endsInHost, let first = rest.first, !"/?#".utf8.contains(first) else { return bytes + rest }
        return bytes + [.slash] + rest
    }

    /// Whether the host stays the setting's if a part of the source is between this and `rest`.
    func keepsHost(with part: ArraySlice<UInt8>, before rest: ArraySlice<UInt8>) -> Bool {
        guard let host else { return true }
        let isContinued = rest.first.map { !"/?#".utf8.contains($0) } ?? false
        return !(!host.isEmpty && part.contains(UInt8(ascii: "@")))
            && !(isContinued && part.contains { "?#\\".utf8.contains($0) })
    }
}

/// A prefix of allowed sources; `*` stands for any bytes but `/`.
package struct SourcePattern: Sendable, Equatable {
    private let pattern: WildcardPattern

    /// Reads a list separated by commas.
    package static func list(_ texts: String) -> [SourcePattern] {
        let patterns = texts.split(separator: ",").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
        return patterns.map { SourcePattern(pattern: WildcardPattern(String($0))) }
    }

    private static let pathSchemes = ["local"] + ObjectAddress.Scheme.allCases.map(\.rawValue)

    /// Whether `url` starts with it.
    ///
    /// No `*` covers the end of the host, as otherwise `https://*.example.com/` allowed
    /// `https://elsewhere.test?.example.com/`, and a pattern that ends within the host has to name all of
    /// it, as otherwise `https://example.com` allowed `https://example.com@elsewhere.test/`.
    func allows(_ url: [UInt8]) -> Bool {
        let slashes = url.firstIndex(of: Array("://".utf8))
        let host = slashes.map { $0 + 3 } ?? url.startIndex
        let end = url[host...].firstIndex { "/?#\\".utf8.contains($0) }
        // In the path of a file and the key of an object nothing is encoded.
        let isPath = Self.pathSchemes.contains { url.starts(with: "\($0):".utf8) }
        guard let match = pattern.match(url, barrier: end ?? .max, coversNoSlash: !isPath) else {
            return false
        }
        guard slashes != nil, match.length > host else { return true }
        return match.length >= end ?? url.count
    }
}
