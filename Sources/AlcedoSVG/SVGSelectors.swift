/// How long librsvg tries to match the rules of style sheets with elements.
///
/// It tries each selector with each element. `a b` walks through the elements around one, `a ~ b` and `:nth-child()`
/// through those before it, and `:not(a b)` does so wherever the selector around it gets to: the lengths of the walks
/// multiply. The numbers are upper bounds, in tries, of which each takes about 13 ns.
struct SVGSelectors {
    /// From an element to others: how many walks are inside one another at most, where more than 16 are endless.
    private struct Walk: Hashable {
        /// Through the elements around it.
        var outwards = 0
        /// Through these and the siblings of each.
        var sideways = 0

        /// How many elements are tried from all `elements` together.
        func tries(from elements: [SVGWork.Element], _ children: [[Int]]) -> Double {
            guard outwards + sideways > 0 else { return Double(elements.count) }
            // Of the way outwards, and of that with siblings.
            var lengths: [(outwards: Double, sideways: Double)] = []
            var sum = 0.0
            // A parent precedes its children.
            for element in elements {
                var length = element.parent.map { lengths[$0] } ?? (outwards: 0, sideways: 0)
                length.outwards += 1
                length.sideways += Double(element.parent.map { children[$0].count } ?? 1)
                lengths.append(length)
                let ways = (0..<outwards).reduce(1.0) { product, _ in product * length.outwards }
                sum += (0..<sideways).reduce(ways) { product, _ in product * length.sideways }
                // The rest makes no difference.
                if sum > SVGWork.mostTries { break }
            }
            return sum
        }
    }

    /// What makes a selector slow.
    private struct Kind: Hashable {
        var walk = Walk()
        var readsClasses = false
        var readsAttributes = false
    }

    /// Bytes of a `class` attribute, and of others, that take as long as a try.
    private static let (classBytes, attributeBytes) = (8.0, 16.0)

    /// How many simple selectors the selectors of each kind have.
    private var sizes: [Kind: Double] = [:]
    /// The declarations of all rules; each is copied to every element that the rule matches.
    private var declarations = 0.0

    mutating func note(_ sheet: ArraySlice<UInt8>) {
        var reader = Reader(rest: sheet)
        while !reader.rest.isEmpty {
            let (selectors, declarations) = reader.next()
            self.declarations += declarations
            for (kind, size) in selectors ?? [:] { sizes[kind, default: 0] += size }
        }
    }

    /// How many tries matching all rules with `elements` takes.
    func tries(with elements: [SVGWork.Element], _ children: [[Int]]) -> Double {
        let count = Double(elements.count)
        if sizes.isEmpty { return declarations * count }
        let (classes, attributes) = (elements.map(\.classBytes), elements.map(\.attributeBytes))
        // A walk may lead past the element with the longest attributes each time.
        let means = (classes: classes.reduce(0, +) / count, attributes: attributes.reduce(0, +) / count)
        let longest = (classes: classes.max() ?? 0, attributes: attributes.max() ?? 0)
        var walked: [Walk: Double] = [:]
        var sum = declarations * count
        for (kind, size) in sizes {
            let bytes = kind.walk != Walk() ? longest : means
            var factor = 1.0
            if kind.readsClasses { factor += bytes.classes / Self.classBytes }
            if kind.readsAttributes { factor += bytes.attributes / Self.attributeBytes }
            let tries = walked[kind.walk] ?? kind.walk.tries(from: elements, children)
            walked[kind.walk] = tries
            sum += size * factor * tries
        }
        return sum
    }

    /// One selector, as far as it has been read.
    private struct Selector {
        /// What is between a pair of parentheses, or outside of all.
        private struct Level {
            var walksOutwards = false
            var walksSideways = false
            /// The walks inside those of this level.
            var inner = Walk()
            /// Whether white space that follows is between two elements.
            var hasElement = false

            var walk: Walk {
                var walk = inner
                if walksSideways {
                    walk.sideways += 1
                } else if walksOutwards {
                    walk.outwards += 1
                }
                return walk
            }
        }

        private(set) var kind = Kind()
        private(set) var size = 1.0
        private var outer: [Level] = []
        private var level = Level()

        var isOutermost: Bool { outer.isEmpty }

        mutating func open() {
            outer.append(level)
            level = Level()
            size += 1
        }

        mutating func close() {
            guard var around = outer.popLast() else { return }
            around.inner.outwards = max(around.inner.outwards, level.walk.outwards)
            around.inner.sideways = max(around.inner.sideways, level.walk.sideways)
            around.hasElement = true
            level = around
        }

        mutating func end() {
            while !isOutermost { close() }
            kind.walk = Walk(outwards: min(level.walk.outwards, 16), sideways: min(level.walk.sideways, 16))
        }

        mutating func noteElement(size more: Double = 0) {
            level.hasElement = true
            size += more
        }

        mutating func noteClass() {
            kind.readsClasses = true
            noteElement(size: 1)
        }

        mutating func noteAttribute() {
            kind.readsAttributes = true
            noteElement(size: 1)
        }

        /// Pseudo-classes that count the elements before or after one.
        mutating func notePseudoClass(_ name: [UInt8]) {
            let walks = ["nth", "of-type"].contains { word in
                name.indices.contains { name[$0...].starts(with: word.utf8) }
            }
            if walks { level.inner.sideways = max(level.inner.sideways, 1) }
            noteElement(size: 1)
        }

        mutating func noteCombinator(_ byte: UInt8) {
            switch byte {
            case UInt8(ascii: "~"): level.walksSideways = true
            case UInt8(ascii: " "), UInt8(ascii: ">"): level.walksOutwards = true
            default: break
            }
            level.hasElement = false
            size += 1
        }

        /// White space before `next`.
        mutating func noteSpace(before next: UInt8?) {
            guard level.hasElement, let next, !">+~,){}".utf8.contains(next) else { return }
            noteCombinator(UInt8(ascii: " "))
        }
    }

    /// Reads a sheet brace by brace.
    private struct Reader {
        private(set) var rest: ArraySlice<UInt8>

        init(rest: ArraySlice<UInt8>) { self.rest = rest }

        /// The sizes of the selectors before the next brace, or nil and the number of declarations if it closes a
        /// block.
        ///
        /// By kind, as a list may have millions.
        mutating func next() -> (selectors: [Kind: Double]?, declarations: Double) {
            var selectors: [Kind: Double] = [:]
            var selector = Selector()
            var declarations = 1.0
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "{"):
                    selector.end()
                    selectors[selector.kind, default: 0] += selector.size
                    return (selectors, 0)
                case UInt8(ascii: "}"): return (nil, declarations)
                case UInt8(ascii: ";"): declarations += 1
                case UInt8(ascii: ",") where selector.isOutermost:
                    selector.end()
                    selectors[selector.kind, default: 0] += selector.size
                    selector = Selector()
                case UInt8(ascii: ","), UInt8(ascii: "~"), UInt8(ascii: ">"), UInt8(ascii: "+"):
                    selector.noteCombinator(byte)
                case UInt8(ascii: "("): selector.open()
                case UInt8(ascii: ")"): selector.close()
                case UInt8(ascii: "["):
                    skipAttribute()
                    selector.noteAttribute()
                case UInt8(ascii: "."): selector.noteClass()
                case UInt8(ascii: ":"):
                    selector.notePseudoClass(
                        SVGStyle.lowercased(rest.prefix { $0 > 0x2c && !":[{".utf8.contains($0) }))
                case UInt8(ascii: "\""), UInt8(ascii: "'"): skipString(byte)
                case UInt8(ascii: "/") where rest.first == UInt8(ascii: "*"): skipComment()
                case let byte where SVGScanner.isSpace(byte):
                    rest = rest.drop(while: SVGScanner.isSpace)
                    selector.noteSpace(before: rest.first)
                default:
                    selector.noteElement()
                    if byte | 0x20 == UInt8(ascii: "u") { skipAddress() }
                }
            }
            return (nil, declarations)
        }

        private mutating func skipComment() {
            rest = rest.dropFirst()
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "*"), rest.first == UInt8(ascii: "/") else { continue }
                rest = rest.dropFirst()
                return
            }
        }

        /// Up to the quote or the end of the line, which ends it too.
        private mutating func skipString(_ quote: UInt8) {
            while let byte = rest.popFirst(), byte != quote, !(10...13).contains(byte) {}
        }

        private mutating func skipAttribute() {
            while let byte = rest.popFirst(), byte != UInt8(ascii: "]") {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "'"): skipString(byte)
                case UInt8(ascii: "/") where rest.first == UInt8(ascii: "*"): skipComment()
                default: break
                }
            }
        }

        /// Behind `url(…)` without quotes, in which quotes and braces mean nothing.
        private mutating func skipAddress() {
            guard SVGStyle.lowercased(rest.prefix(3)).elementsEqual("rl(".utf8) else { return }
            let content = rest.dropFirst(3).drop(while: SVGScanner.isSpace)
            if content.first == UInt8(ascii: "\"") || content.first == UInt8(ascii: "'") { return }
            rest = content.drop { $0 != UInt8(ascii: ")") }.dropFirst()
        }
    }
}
