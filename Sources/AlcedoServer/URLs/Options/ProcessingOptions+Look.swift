extension ProcessingOptions {
    /// Applies an option that changes pixels; false if it isn't one.
    mutating func applyLook(_ option: OptionArguments) throws(URLFailure) -> Bool {
        switch option.name {
        case "trim", "t": trim = try Self.trim(option)
        case "background", "bg": background = try Self.background(option)
        case "blur", "bl":
            try option.check(most: 1)
            blur = try option.number(0, from: 0)
        case "sharpen", "sh":
            try option.check(most: 1)
            sharpen = try option.number(0, from: 0)
        case "pixelate", "pix":
            try option.check(most: 1)
            pixelate = try option.integer(0)
        case "watermark", "wm": watermark = try Self.watermark(option)
        default: return false
        }
        return true
    }

    private static func trim(_ option: OptionArguments) throws(URLFailure) -> Trim? {
        try option.check(most: 4)
        guard option.has(0) else { return nil }
        var trim = Trim()
        trim.threshold = try option.number(0, from: 0)
        if option.has(1) { trim.color = try option.color(1) }
        trim.equalHorizontally = option.bool(2)
        trim.equalVertically = option.bool(3)
        return trim
    }

    private static func background(_ option: OptionArguments) throws(URLFailure) -> RGBColor? {
        if option.count == 1 { return try option.has(0) ? option.color(0) : nil }
        guard option.count == 3 else {
            throw option.failure(
                "has \(option.count) arguments; it takes a hexadecimal colour, or red, green and blue")
        }
        let byte = 0...255
        return RGBColor(
            red: UInt8(try option.integer(0, in: byte)), green: UInt8(try option.integer(1, in: byte)),
            blue: UInt8(try option.integer(2, in: byte)))
    }

    private static func watermark(_ option: OptionArguments) throws(URLFailure) -> Watermark? {
        // Two more are of imgproxy Pro, and without effect.
        try option.check(most: 7)
        var watermark = Watermark()
        watermark.opacity = try option.number(0, from: 0, to: 1)
        let x = try option.has(2) ? option.number(2) : 0
        let y = try option.has(3) ? option.number(3) : 0
        if option.has(1), try option.text(1) == "re" {
            watermark.position = .tiled(x: x, y: y)
        } else {
            let place = OptionArguments(
                name: option.name, values: [try option.has(1) ? option.text(1) : "ce"])
            var gravity = try Gravity(place, allows: .watermark)
            (gravity.x, gravity.y) = (x, y)
            watermark.position = .gravity(gravity)
        }
        if option.has(4) { watermark.scale = try option.positiveNumber(4) }
        return watermark.opacity > 0 ? watermark : nil
    }
}
