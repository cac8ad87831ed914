import Glibc

/// An IPv4 or IPv6 address: 4 or 16 bytes in network order.
package struct IPAddress: Equatable, Sendable {
    package let bytes: [UInt8]

    /// Reads `192.0.2.1` or `2001:db8::1`, with or without a zone; nil for anything else.
    package init?(_ text: String) {
        let text = text.prefix { $0 != "%" }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET6, String(text), &bytes) == 1 {
            self.bytes = bytes
        } else if inet_pton(AF_INET, String(text), &bytes) == 1 {
            self.bytes = Array(bytes[..<4])
        } else {
            return nil
        }
    }

    /// The address of a `sockaddr`; nil if that is of another family.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin_addr) { Array($0) }
            }
        case AF_INET6:
            bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin6_addr) { Array($0) }
            }
        default: return nil
        }
    }

    /// Reads an IPv4 address in any notation, such as `127.1`, or `localhost`, with dots at the end; nil for anything else.
    init?(absoluteName name: String) {
        let text = String(name.reversed().drop { $0 == "." }.reversed())
        // RFC 6761: names below localhost are this machine too.
        if text == "localhost" || text.hasSuffix(".localhost") {
            bytes = [127, 0, 0, 1]
            return
        }
        var address = in_addr()
        guard inet_aton(text, &address) != 0 else { return nil }
        bytes = withUnsafeBytes(of: address) { Array($0) }
    }

    fileprivate init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Whether it is of the public internet; see ``AddressPolicy/publicOnly``.
    var isPublic: Bool {
        if bytes.count == 4 { return !isIn(Self.special4) }
        if let embeddedIPv4 { return embeddedIPv4.isPublic }
        return isIn(Self.globalUnicast) && !isIn(Self.special6)
    }

    func isAllowed(by policy: AddressPolicy) -> Bool {
        switch policy {
        case .any: true
        case .publicOnly: isPublic
        case .publicAnd(let ranges): isPublic || isIn(ranges)
        }
    }

    private func isIn(_ ranges: AddressRanges) -> Bool {
        if let embeddedIPv4 { return embeddedIPv4.isIn(ranges) }
        return ranges.contains(.loopback) && isIn(Self.loopback)
            || ranges.contains(.linkLocal) && isIn(Self.linkLocal)
            || ranges.contains(.privateNetworks) && isIn(Self.privateNetworks)
    }

    /// The IPv4 address in a mapped address (RFC 4291) or one of NAT64's well-known prefix (RFC 6052).
    package var embeddedIPv4: IPAddress? { isIn(Self.embedding4) ? IPAddress(bytes[12...]) : nil }

    package var text: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        return inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)).map { String(cString: $0) } ?? ""
    }
}

// MARK: - Blocks

extension IPAddress {
    // IANA's registry for IPv4, all that is not globally reachable; relays of 6to4; multicast; the former class E.
    private static let special4 = AddressBlock.list(
        """
        0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 \
        192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
        """)

    /// The IPv6 addresses that can be public.
    private static let globalUnicast = AddressBlock.list("2000::/3")

    // Of that, IANA's registry: protocol assignments with Teredo, documentation, 6to4.
    private static let special6 = AddressBlock.list("2001::/23 2001:db8::/32 2002::/16 3fff::/20")

    private static let loopback = AddressBlock.list("127.0.0.0/8 0.0.0.0/32 ::1/128 ::/128")
    private static let linkLocal = AddressBlock.list("169.254.0.0/16 fe80::/10")
    private static let privateNetworks = AddressBlock.list("10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7")

    private static let embedding4 = AddressBlock.list("::ffff:0:0/96 64:ff9b::/96")

    private func isIn(_ blocks: [AddressBlock]) -> Bool { blocks.contains { $0.contains(self) } }
}

/// All addresses that start with the same bits.
package struct AddressBlock: Equatable, Sendable {
    private let first: IPAddress
    private let length: Int

    /// Reads `10.0.0.0/8`, or one address; nil for anything else.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, !text.contains("%"), let first = IPAddress(String(parts[0])) else {
            return nil
        }
        let bits = first.bytes.count * 8
        let length = parts.count == 2 ? Int(parts[1]) : bits
        guard let length, (0...bits).contains(length) else { return nil }
        (self.first, self.length) = (first, length)
    }

    /// Reads `10.0.0.0/8 127.0.0.0/8`.
    static func list(_ text: String) -> [AddressBlock] {
        text.split(separator: " ").compactMap { AddressBlock($0) }
    }

    private init(_ first: IPAddress, length: Int) { (self.first, self.length) = (first, length) }

    /// `10.0.0.0/8` for `::ffff:10.0.0.0/104`, a block of mapped addresses (RFC 4291); itself if it is none.
    package var unmapped: AddressBlock {
        guard length >= 96, first.bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) else {
            return self
        }
        return AddressBlock(IPAddress(first.bytes[12...]), length: length - 96)
    }

    package func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == first.bytes.count else { return false }
        let whole = length / 8
        let rest = length % 8
        return address.bytes[..<whole] == first.bytes[..<whole]
            && (rest == 0 || (address.bytes[whole] ^ first.bytes[whole]) >> (8 - rest) == 0)
    }
}
