#if Server
    /// The beginning of a URL; `*` stands for any bytes but `/`, as many as possible.
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

        /// Matches the beginning of `text`; no `*` covers the index `barrier`.
        ///
        /// Linear in the text for each `*`, whatever the text.
        func match(_ text: [UInt8], barrier: Int = .max) -> Match? {
            guard text.starts(with: literals[0]) else { return nil }
            guard literals.count > 1 else { return Match(length: literals[0].count, wildcards: []) }
            let runs = Self.runs(of: text)
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
        private static func runs(of text: [UInt8]) -> [Int] {
            var runs = [Int](repeating: text.count, count: text.count + 1)
            for index in text.indices.reversed() {
                runs[index] = text[index] == .slash ? index : runs[index + 1]
            }
            return runs
        }
    }

    /// A rule of `URL_REPLACEMENTS`.
    package struct URLReplacement: Sendable, Equatable {
        private let pattern: WildcardPattern
        private let text: [UInt8]

        /// Reads `pattern=text;…`; `${1}` in a text is what the first `*` stands for.
        package static func list(_ texts: String) throws(SettingFailure) -> [URLReplacement] {
            var rules: [URLReplacement] = []
            for rule in texts.split(separator: ";") {
                let sides = rule.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard sides.count == 2, !sides[0].isEmpty else {
                    throw SettingFailure(
                        "IMGPROXY_URL_REPLACEMENTS: “\(rule)” is not of the form pattern=text.")
                }
                let pattern = WildcardPattern(String(sides[0]))
                rules.append(URLReplacement(pattern: pattern, text: Array(sides[1].utf8)))
            }
            return rules
        }

        func applied(to url: [UInt8]) -> [UInt8] {
            guard let match = pattern.match(url) else { return url }
            var replaced: [UInt8] = []
            var rest = text[...]
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "$"), rest.first == UInt8(ascii: "{"),
                    let end = rest.firstIndex(of: UInt8(ascii: "}")),
                    let number = Int(rest[(rest.startIndex + 1)..<end].text), number > 0
                {
                    if number <= match.wildcards.count { replaced += url[match.wildcards[number - 1]] }
                    rest = rest[(end + 1)...]
                } else {
                    replaced.append(byte)
                }
            }
            return replaced + url[match.length...]
        }
    }

    /// The beginning of sources that are allowed; `*` stands for any bytes but `/`.
    package struct SourcePattern: Sendable, Equatable {
        private let pattern: WildcardPattern

        /// Reads a list separated by commas; `nil` if there is none.
        package static func list(_ texts: String) -> [SourcePattern]? {
            let patterns = texts.split(separator: ",").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
            guard !patterns.isEmpty else { return nil }
            return patterns.map { SourcePattern(pattern: WildcardPattern(String($0))) }
        }

        /// Whether `url` begins like that.
        ///
        /// No `*` covers the end of the host, as otherwise `https://*.example.com/` allowed
        /// `https://elsewhere.test?.example.com/`.
        func allows(_ url: [UInt8]) -> Bool {
            let host = url.firstIndex(of: Array("://".utf8)).map { $0 + 3 } ?? url.startIndex
            let end = url[host...].firstIndex { "/?#\\".utf8.contains($0) } ?? .max
            return pattern.match(url, barrier: end) != nil
        }
    }
#endif
