/// Options that several closures share, because each would copy more than 1,000 bytes with 60 references.
final class SharedOptions: Sendable {
    let value: KingfisherParsedOptionsInfo

    init(_ value: KingfisherParsedOptionsInfo) { self.value = value }

    init(_ value: KingfisherParsedOptionsInfo, isCurrent: @escaping @Sendable () -> Bool) {
        var value = value
        value.isCurrent = isCurrent
        self.value = value
    }
}
