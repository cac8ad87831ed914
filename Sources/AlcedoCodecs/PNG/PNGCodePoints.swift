extension RGBEncoding {
    /// The code points of a `cICP` chunk (ITU-T H.273); nil if they are not supported.
    ///
    /// Narrow range and YCbCr are not supported; no PNG writer uses them.
    init?(png bytes: RawSpan, _ range: Range<Int>) {
        guard range.count == 4, let primaries = bytes.u8(range.lowerBound),
            let transfer = bytes.u8(range.lowerBound + 1), bytes.u16BE(range.lowerBound + 2) == 0x0001,
            [1, 5, 6, 7, 9, 11, 12].contains(primaries),
            [1, 4, 5, 6, 8, 13, 14, 15, 16, 18].contains(transfer)
        else { return nil }
        self.init(primaries: primaries, transfer: transfer)
    }
}
