#if SVG
    import AlcedoPixels

    /// The intrinsic size of an SVG.
    struct SVGFrame {
        private var width: Double?
        private var height: Double?
        private var viewBox: (width: Double, height: Double)?

        /// Remembers an attribute of the outermost element.
        mutating func note(_ name: String, _ value: String) {
            switch name {
            case "width": width = Self.pixels(value)
            case "height": height = Self.pixels(value)
            case "viewBox":
                let numbers = value.split { $0 == " " || $0 == "," || $0.isNewline || $0 == "\t" }
                    .map { Double($0) }
                guard numbers.count == 4, let width = numbers[2], let height = numbers[3], width > 0,
                    height > 0,
                    width.isFinite, height.isFinite
                else { return }
                viewBox = (width, height)
            default: break
            }
        }

        /// Width and height in pixels, as browsers have them: a side that is not given follows from the view box, and
        /// without one is 300 or 150.
        var size: (width: Double, height: Double) {
            switch (width, height, viewBox) {
            case (let width?, let height?, _): (width, height)
            case (let width?, nil, let box?): (width, width * box.height / box.width)
            case (nil, let height?, let box?): (height * box.width / box.height, height)
            case (nil, nil, let box?): box
            case (let width, let height, nil): (width ?? 300, height ?? 150)
            }
        }

        /// The coordinate space of the outermost element.
        var units: (width: Double, height: Double) {
            let (width, height) = viewBox ?? size
            return (max(width, 1e-9), max(height, 1e-9))
        }

        /// In whole pixels, at least one a side.
        var pixelSize: PixelSize {
            func whole(_ side: Double) -> Int { Int(max(1, min(side.rounded(), 1e9))) }
            return PixelSize(width: whole(size.width), height: whole(size.height))
        }

        /// A length in CSS pixels, of which 96 make an inch; nil for a share of something or no length.
        static func pixels(_ text: String) -> Double? {
            let text = text.trimmed
            let number = text.prefix { $0.isNumber || "+-.".contains($0) }
            var end = number.endIndex
            // An exponent, unless it is the unit em or ex.
            if let next = text[end...].first, next == "e" || next == "E" {
                let exponent = text[end...].dropFirst().prefix { $0.isNumber || $0 == "-" || $0 == "+" }
                if exponent.contains(where: \.isNumber) { end = exponent.endIndex }
            }
            let unit = text[end...].lowercased()
            guard let value = Double(text[..<end]), let factor = units[unit], value > 0,
                value.isFinite
            else { return nil }
            return value * factor
        }

        private static let units: [String: Double] = [
            "": 1, "px": 1, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "pt": 96.0 / 72,
            "pc": 16, "em": 16, "rem": 16, "ex": 8,
        ]
    }

    extension String {
        fileprivate var trimmed: Substring {
            let start = firstIndex { !$0.isWhitespace } ?? endIndex
            let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? start
            return self[start..<end]
        }
    }
#endif
