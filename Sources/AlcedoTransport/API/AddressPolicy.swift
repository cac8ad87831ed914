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
