/// Ranges of addresses that are not of the public internet, for ``AddressPolicy/publicAnd(_:)``.
public struct AddressRanges: OptionSet, Sendable, Hashable {
    /// The bits of the ranges.
    public let rawValue: Int

    /// Ranges by their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// This machine: 127.0.0.0/8 and ::1, and the unspecified addresses 0.0.0.0 and ::, which lead there.
    public static let loopback = AddressRanges(rawValue: 1)

    /// 169.254.0.0/16 and fe80::/10; cloud providers serve credentials from there.
    public static let linkLocal = AddressRanges(rawValue: 2)

    /// 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16 (RFC 1918), and fc00::/7 (RFC 4193).
    public static let privateNetworks = AddressRanges(rawValue: 4)

    static let all: AddressRanges = [.loopback, .linkLocal, .privateNetworks]
}
