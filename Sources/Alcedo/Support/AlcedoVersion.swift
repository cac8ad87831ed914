package enum AlcedoVersion {
    /// `MAJOR.MINOR.PATCH`, as in Semantic Versioning.
    package static let current = "1.0.0"
}
