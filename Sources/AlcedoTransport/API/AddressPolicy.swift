/// Which addresses a request may go to, whatever its URL calls them.
public enum AddressPolicy: Sendable, Equatable {
    /// All.
    case any

    /// Those of the public internet, and nothing of this machine or its networks: for servers that load what strangers
    /// ask for.
    ///
    /// What counts is the address that is connected to, so redirects, names that resolve to a private address, now or the
    /// next time, and addresses in unusual notation change nothing. Not public is what IANA's registries of special
    /// addresses call not globally reachable, and what is multicast, 6to4 or Teredo. Addresses that stand for one of
    /// IPv4, mapped or behind NAT64, are what that one is.
    ///
    /// Such a request goes directly and never through a proxy, which would look up the name by itself.
    ///
    /// `file` URLs are refused wherever they are given as something to load: to a transport, a downloader, a manager, a
    /// prefetcher or a view, as an alternative too, and even if a cache has the image. What the program reads from a file by
    /// itself, with a `LocalFileImageDataProvider` that it has made, is its own affair.
    case publicOnly
}
