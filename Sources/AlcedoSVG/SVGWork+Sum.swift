import AlcedoPixels

/// The sum over all elements, each as often as it is drawn.
extension SVGWork {
    private enum Known {
        case no
        case beingSummed
        case yes(Cost)
    }

    /// The document's part of the sum.
    private struct Context {
        var known: [Known]
        /// The cost that style sheets add to each element.
        var sheet = Cost()
        /// Tiles that the style sheets may fill each element with.
        var tiles: [SVGExtent] = []
        /// The area of the picture in the document's units: more is not filled by one element.
        var area: Double
        var strokeWidths: [Double]
        /// The largest sides that percentages refer to.
        var view: SVGExtent.Sides
    }

    /// Throws if drawing `units` at `size` would take too long, too much memory or too much stack, together with what
    /// `totals` has already.
    func check(at size: PixelSize, of units: SVGExtent.Sides, totals: SVGTotals) throws(CodecError) {
        guard !elements.isEmpty else { throw .corrupt(.svg, reason: "it has no elements") }
        try totals.add(rules, limit: Self.mostRules, "its style sheets have too many rules")
        try totals.add(
            rules * Double(elements.count), limit: Self.mostMatches,
            "its style sheets are too large for its many elements, in rules times elements")
        try totals.add(
            selectors.tries(with: elements, children), limit: Self.mostTries,
            "its style sheets have selectors that are too slow for its elements, in tries to match them")
        let view = elements.reduce(units) { $1.makesView ? $1.extent.widened($0) : $0 }
        var context = Context(
            known: [Known](repeating: .no, count: elements.count), area: units.width * units.height,
            strokeWidths: strokeWidths(), view: view)
        var sheetCost = Cost()
        for name in sheet.references {
            guard let target = names[name] else { continue }
            let used = try cost(of: target, depth: 0, &context)
            sheetCost.add(elements[target].isGradient ? used.filling(1) : used)
            if elements[target].extent.isPattern { context.tiles.append(elements[target].extent) }
        }
        if sheet.makesLayers {
            sheetCost.layers += 1
            sheetCost.surfaces += 1
        }
        context.known = [Known](repeating: .no, count: elements.count)
        context.sheet = sheetCost
        var all = try cost(of: 0, depth: sheetCost.levels, &context)
        all.enlarge(max(Double(size.width) / units.width, Double(size.height) / units.height))
        try checkText(all, totals)
        try checkPixels(all, size, totals)
        try checkDashes(view)
    }

    /// Throws for larger layers, shapes and tiles than librsvg and cairo draw in time and memory.
    private func checkPixels(_ all: Cost, _ size: PixelSize, _ totals: SVGTotals) throws(CodecError) {
        let area = Double(size.area)
        try totals.add(all.elements, limit: Self.mostElements, "it draws too many elements")
        try totals.add(
            all.layers * area, limit: Self.mostLayerPixels,
            "its filters and layers are too many for its size, in pixels")
        try SVGTotals.check(
            all.surfaces * area * 4, limit: Self.mostLayerBytes,
            "its layers are nested too deep for its size, in bytes")
        try totals.add(
            all.painted, limit: Self.mostPaintedPixels,
            "its shapes are too many for its size, in pixels")
        try SVGTotals.check(
            all.tile, limit: max(Self.mostTilePixels, area * 4),
            "its patterns have tiles that are too large, in pixels")
        try totals.add(
            all.gradients, limit: Self.mostStops, "its gradients have too many stops, in squared stops")
        try totals.add(
            all.pairs, limit: Self.mostPairs,
            "too many lines of its outlines lie beside each other, in pairs")
        if hasRoundCorners {
            try totals.add(
                all.rounds, limit: Self.mostRoundPixels,
                "its round corners are too many for its size, in pixels")
        }
    }

    /// Throws for more text, or more fonts, than librsvg and Pango draw in time.
    private func checkText(_ all: Cost, _ totals: SVGTotals) throws(CodecError) {
        try SVGTotals.check(
            fonts.largest(levels: all.levels), limit: SVGFonts.largestSize,
            "its letters are too large, in pixels")
        try SVGTotals.check(
            fonts.size * all.textScale, limit: Self.mostLetterPixels,
            "its letters are too large as drawn, in pixels")
        try totals.add(all.letters, limit: Self.mostCharacters, "it draws too many characters")
        try totals.add(
            all.pieces, limit: Self.mostPieces,
            "its pieces of text are too long, in squared characters")
        try SVGTotals.check(
            Double(families), limit: Double(Self.mostFamilies), "a list has too many font families")
        try totals.add(
            Double(familyListCount), limit: Double(Self.mostFamilyLists),
            "it has too many lists of font families")
    }

    /// By how much lengths in each of `targets` grow on their way to the picture, through elements and references.
    func zooms(of targets: [Int], in units: SVGExtent.Sides) -> [Double] {
        let view = elements.reduce(units) { $1.makesView ? $1.extent.widened($0) : $0 }
        var referrers: [Int: [Int]] = [:]
        for (index, element) in elements.enumerated() {
            for name in element.refersTo {
                if let target = names[name] { referrers[target, default: []].append(index) }
            }
        }
        // Nil while it is being computed: a circle is not drawn.
        var known: [Int: Double?] = [:]
        func zoom(_ index: Int, depth: Int) -> Double {
            if let zoom = known[index] { return zoom ?? 0 }
            // Only in circles are there more levels.
            guard depth <= Self.mostLevels else { return 0 }
            known[index] = .some(nil)
            var outside = elements[index].parent.map { zoom($0, depth: depth + 1) } ?? 1
            for referrer in referrers[index] ?? [] {
                outside = max(outside, zoom(referrer, depth: depth + 1))
            }
            let result = outside * elements[index].extent.zoom(in: view)
            known[index] = result
            return result
        }
        return targets.map { zoom($0, depth: 0) }
    }

    /// A parent precedes its children; what a `use` draws may have the width of any of them.
    private func strokeWidths() -> [Double] {
        var widths: [Double] = []
        for element in elements {
            let inherited = element.parent.map { widths[$0] } ?? max(1, sheetStrokeWidth)
            widths.append(max(sheetStrokeWidth, element.strokeWidth ?? inherited))
        }
        return widths
    }

    private func checkDashes(_ view: SVGExtent.Sides) throws(CodecError) {
        guard let dash else { return }
        for element in elements {
            let letters = element.characters * fonts.size * 10
            try SVGTotals.check(
                (element.extent.outline(in: view).length + letters) / dash, limit: Self.mostDashes,
                "an outline has too many dashes")
        }
    }

    private func cost(of index: Int, depth: Int, _ context: inout Context) throws(CodecError) -> Cost {
        switch context.known[index] {
        case .yes(let cost): return cost
        // librsvg draws no circle.
        case .beingSummed: return Cost()
        case .no: break
        }
        guard depth <= Self.mostLevels else { throw Self.tooDeep }
        context.known[index] = .beingSummed
        let element = elements[index]
        var sum = Cost()
        var own = element.cost
        let times = element.hasMarkers || self.sheet.hasMarkers ? element.points : 1
        if own.elements > 0 {
            sum.add(context.sheet, times: times)
            own.surfaces += sheet.makesLayers ? 1 : 0
        }
        for child in children[index] {
            let part = try cost(of: child, depth: depth + 1, &context)
            sum.add(elements[child].isGradient ? part.filling(0) : part)
        }
        measure(element, &sum, context, strokeWidth: context.strokeWidths[index])
        let targets = Set(element.refersTo).compactMap { names[$0] }
        for target in targets where !elements[target].extent.isPattern {
            var referred = try cost(of: target, depth: depth + 1, &context)
            if elements[target].isGradient, !element.isGradient {
                // The elements inside inherit the gradient, and are filled with it.
                referred = referred.filling(max(1, sum.elements))
            }
            sum.add(referred, times: element.hasMarkers ? element.points : 1)
        }
        for target in targets where elements[target].extent.isPattern {
            var content = try cost(of: target, depth: depth + 1, &context)
            // A pattern covers the element that refers to it, so its content's size does not count.
            (content.width, content.height) = (0, 0)
            fill(&sum, with: elements[target].extent, context)
            sum.add(content, times: element.hasMarkers ? element.points : 1)
            own.layers += sum.letters * Self.layersOfPatternedLetter
        }
        own.surfaces += sum.surfaces
        sum.add(own)
        sum.levels += 1
        guard sum.levels <= Self.mostLevels else { throw Self.tooDeep }
        sum.enlarge(element.extent.growth(in: context.view) * (element.isMarker ? strokeWidth : 1))
        sum.painted = min(sum.painted, sum.elements * context.area)
        context.known[index] = .yes(sum)
        return sum
    }

    private func measure(
        _ element: Element, _ sum: inout Cost, _ context: Context, strokeWidth own: Double
    ) {
        let outline = element.extent.outline(in: context.view)
        sum.pairs += outline.pairs
        sum.rounds += outline.corners * min(own, max(context.view.width, context.view.height))
        if !element.extent.isPattern {
            sum.width = max(sum.width, outline.width)
            sum.height = max(sum.height, outline.height)
            let area = (outline.width + strokeWidth) * (outline.height + strokeWidth)
            if element.cost.elements > 0, outline.length > 0 { sum.painted += min(area, context.area) }
            sum.painted += min(element.characters * fonts.size * fonts.size, context.area)
        }
        sum.letters += element.characters
        if element.characters > 0 { sum.textScale = max(sum.textScale, 1) }
        for tile in context.tiles {
            fill(&sum, with: tile, context)
            sum.layers += element.characters * Self.layersOfPatternedLetter
        }
    }

    private func fill(_ sum: inout Cost, with tile: SVGExtent, _ context: Context) {
        let factor = tile.scale
        let area = tile.tileArea(filling: sum.width, sum.height, in: context.view)
        sum.tile = max(sum.tile, area * factor * factor)
    }

    private static var tooDeep: CodecError {
        .unsupported(
            .svg,
            reason: "its elements and references are nested too deep: more than \(mostLevels) levels")
    }
}
