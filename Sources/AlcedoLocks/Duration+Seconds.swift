extension Duration {
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// A number of seconds, which may be infinite, as at most 30 years; 0 for less, and for what is no number.
    package init(clamping seconds: Double) { self = .seconds(seconds > 0 ? min(seconds, 1e9) : 0) }
}
