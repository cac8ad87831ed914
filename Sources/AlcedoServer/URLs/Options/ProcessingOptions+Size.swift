extension ProcessingOptions {
    /// Applies an option that decides about sides and places; false if it isn't one.
    mutating func applySize(_ option: OptionArguments) throws(URLFailure) -> Bool {
        switch option.name {
        case "resize", "rs":
            try option.check(most: 8)
            if option.has(0) { try setResizingType(option) }
            try setSize(option.dropping(1))
        case "size", "s":
            try option.check(most: 7)
            try setSize(option)
        case "resizing_type", "rt":
            try option.check(most: 1)
            try setResizingType(option)
        case "width", "w": width = try Self.side(option)
        case "height", "h": height = try Self.side(option)
        case "min-width", "mw": minWidth = try Self.side(option)
        case "min-height", "mh": minHeight = try Self.side(option)
        case "zoom", "z":
            try option.check(most: 2)
            zoomX = try option.positiveNumber(0)
            zoomY = try option.count > 1 ? option.positiveNumber(1) : zoomX
        case "dpr":
            try option.check(most: 1)
            dpr = try option.positiveNumber(0)
        case "enlarge", "el":
            try option.check(most: 1)
            enlarge = option.bool(0)
        case "extend", "ex": extend = try Self.extend(option)
        case "extend_aspect_ratio", "extend_ar", "exar": extendAspectRatio = try Self.extend(option)
        case "gravity", "g": gravity = try Gravity(option)
        case "crop", "c": crop = try Self.crop(option)
        case "padding", "pd": try setPadding(option)
        case "auto_rotate", "ar":
            try option.check(most: 1)
            autoRotate = option.bool(0)
        case "rotate", "rot":
            try option.check(most: 1)
            let angle = try option.integer(0)
            guard angle % 90 == 0 else { throw option.failure("\(angle) is not a multiple of 90") }
            rotation = angle % 360
        case "flip", "fl":
            try option.check(most: 2)
            if option.has(0) { flipsHorizontally = option.bool(0) }
            if option.has(1) { flipsVertically = option.bool(1) }
        default: return false
        }
        return true
    }

    private static func side(_ option: OptionArguments) throws(URLFailure) -> Int {
        try option.check(most: 1)
        return try option.integer(0)
    }

    private mutating func setResizingType(_ option: OptionArguments) throws(URLFailure) {
        let name = try option.text(0)
        guard let type = ResizingType(rawValue: name) else {
            throw option.failure("“\(name)” is not fit, fill, fill-down, force or auto")
        }
        resizingType = type
    }

    /// Width, height, enlarge, extend, its gravity.
    private mutating func setSize(_ option: OptionArguments) throws(URLFailure) {
        if option.has(0) { width = try option.integer(0) }
        if option.has(1) { height = try option.integer(1) }
        if option.has(2) { enlarge = option.bool(2) }
        if option.has(3) { extend.isEnabled = option.bool(3) }
        if option.has(4) {
            extend.gravity = try Gravity(option.dropping(4), allows: .extension)
        } else if option.has(5) || option.has(6) {
            let offsets = option.dropping(5).all
            extend.gravity = try Gravity(OptionArguments(name: option.name, values: ["ce"] + offsets))
        } else if option.has(3) {
            extend.gravity = Gravity()
        }
    }

    private static func extend(_ option: OptionArguments) throws(URLFailure) -> Extend {
        try option.check(most: 4)
        let gravity = try option.count > 1 ? Gravity(option.dropping(1), allows: .extension) : Gravity()
        return Extend(isEnabled: option.bool(0), gravity: gravity)
    }

    private static func crop(_ option: OptionArguments) throws(URLFailure) -> Crop? {
        try option.check(most: 5)
        var crop = Crop()
        crop.width = try option.number(0, from: 0)
        if option.count > 1 { crop.height = try option.number(1, from: 0) }
        if option.count > 2 { crop.gravity = try Gravity(option.dropping(2)) }
        return crop.width == 0 && crop.height == 0 ? nil : crop
    }

    /// As in CSS: absent sides are those opposite, and all are the first.
    private mutating func setPadding(_ option: OptionArguments) throws(URLFailure) {
        try option.check(most: 4)
        if option.has(0) {
            let all = try option.integer(0)
            padding = Padding(top: all, right: all, bottom: all, left: all)
        }
        if option.has(1) {
            padding.right = try option.integer(1)
            padding.left = padding.right
        }
        if option.has(2) { padding.bottom = try option.integer(2) }
        if option.has(3) { padding.left = try option.integer(3) }
    }
}
