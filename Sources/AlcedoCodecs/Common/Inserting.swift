extension [UInt8] {
    /// These bytes with `others` in front of the one at `place`.
    func inserting(_ others: some Collection<UInt8>, at place: Int) -> [UInt8] {
        var bytes = self
        bytes.insert(contentsOf: others, at: place)
        return bytes
    }
}
