extension String {
    /// The key under which the caches hold what a processor made: the bare key for the default one.
    func computedKey(with identifier: String) -> String {
        identifier.isEmpty ? self : "\(self)@\(identifier)"
    }
}
