/// The addresses that a request may be sent to.
public enum AddressPolicy: Sendable, Equatable {
    case any

    /// Addresses of the public internet only: for servers that load URLs from untrusted clients.
    ///
    /// Checks the address that is connected to, so redirects, names that resolve to a private address, now or later, and
    /// addresses in unusual notation do not evade it. Not public are the addresses that IANA's special-purpose registries
    /// call not globally reachable, and multicast, 6to4 and Teredo. Addresses that embed one of IPv4, mapped or of NAT64,
    /// are classified as that one.
    ///
    /// Such a request never uses a proxy, which would resolve the name itself.
    ///
    /// `file` URLs are rejected wherever they are loaded: by a transport, a downloader, a manager, a prefetcher or a view, as
    /// an alternative source too, and even if a cache has the image. A `LocalFileImageDataProvider` that the program creates
    /// is exempt.
    case publicOnly

    /// Those of ``publicOnly``, and these ranges too: for servers whose sources are in their own network.
    ///
    /// `file` URLs are rejected, and proxies are not used, as under ``publicOnly``.
    case publicAnd(AddressRanges)

    /// Whether `file` URLs are rejected and proxies not used.
    package var isRestricted: Bool { self != .any }
}

/// Ranges of addresses that are not of the public internet, for ``AddressPolicy/publicAnd(_:)``.
public struct AddressRanges: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// This machine: 127.0.0.0/8 and ::1, and the unspecified addresses 0.0.0.0 and ::, which lead there.
    public static let loopback = AddressRanges(rawValue: 1)

    /// 169.254.0.0/16 and fe80::/10; cloud providers serve credentials from there.
    public static let linkLocal = AddressRanges(rawValue: 2)

    /// 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16 (RFC 1918), and fc00::/7 (RFC 4193).
    public static let privateNetworks = AddressRanges(rawValue: 4)

    static let all: AddressRanges = [.loopback, .linkLocal, .privateNetworks]
}
