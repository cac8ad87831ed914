/// How fast a downloader starts downloads: ``burst`` at once, and then ``perSecond`` each second.
///
/// While a list scrolls fast, downloads are requested and cancelled within milliseconds. With a rate, most of them are
/// cancelled before they start, and cost neither a connection nor a request.
public struct DownloadRate: Sendable, Equatable {
    /// Downloads that start each second while others wait; 50 by default, values below 0.01 count as 0.01.
    public var perSecond: Double

    /// Downloads that start at once after a pause, as many as a screen shows; 20 by default, between 1 and 10,000.
    ///
    /// After `burst / perSecond` seconds without a start, all of them may start at once again.
    public var burst: Int

    /// A rate.
    public init(perSecond: Double = 50, burst: Int = 20) {
        self.perSecond = perSecond
        self.burst = burst
    }
}
