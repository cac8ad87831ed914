extension String {
    /// The key of a variant: the key itself for the default processor, whose identifier is empty.
    package func computedKey(with identifier: String) -> String {
        identifier.isEmpty ? self : "\(self)@\(identifier)"
    }
}
