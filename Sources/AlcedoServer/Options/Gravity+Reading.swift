extension Gravity {
    /// Where a gravity is used.
    enum Use {
        case cropping
        /// Without smart.
        case `extension`
        /// Without smart and focus point; with 1 px or more of the watermark visible.
        case watermark
    }

    /// Reads `type:x:y` from the first arguments on.
    init(_ option: OptionArguments, allows use: Use = .cropping) throws(URLFailure) {
        try option.check(most: 3)
        let name = try option.text(0)
        guard let anchor = Anchor(rawValue: name) else {
            throw option.failure("“\(name)” is not a gravity")
        }
        switch anchor {
        case .smart:
            guard use == .cropping else { throw option.failure("sm is no place for this option") }
            try option.check(most: 1)
            self.init(.smart)
        case .focusPoint:
            guard use != .watermark else { throw option.failure("fp is no place for this option") }
            self.init(
                .focusPoint, x: try option.number(1, from: 0, to: 1),
                y: try option.number(2, from: 0, to: 1))
        default:
            let x = try option.has(1) ? option.number(1) : 0
            self.init(anchor, x: x, y: try option.has(2) ? option.number(2) : 0)
        }
    }
}
