import Testing

@testable import AlcedoTransport

struct `An address` {
    @Test(arguments: [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1", "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1",
        "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.250", "240.0.0.1",
        "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "64:ff9b::127.0.0.1",
        "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "64:ff9b:1::8.8.8.8", "100::1", "2001::1", "2001:0:53aa:64c::1",
        "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "4000::1", "5f00::1", "fc00::1",
        "fd12:3456::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
    ]) func `private, local and reserved addresses are not public`(text: String) throws {
        #expect(try !#require(IPAddress(text)).isPublic)
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255",
        "198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
        "2001:200::1",
        "2003::1", "2606:4700:4700::1111", "2a00:1450:4001::200e", "3ffe::1",
    ]) func `an address of the public internet is public`(text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }

    @Test(arguments: [
        ("127.0.0.1", AddressRanges.loopback), ("0.0.0.0", .loopback), ("::1", .loopback), ("::", .loopback),
        ("::ffff:127.0.0.1", .loopback), ("169.254.169.254", .linkLocal), ("fe80::1", .linkLocal),
        ("64:ff9b::a9fe:a9fe", .linkLocal), ("10.1.2.3", .privateNetworks), ("172.31.0.1", .privateNetworks),
        ("192.168.1.1", .privateNetworks), ("fd12::1", .privateNetworks),
        ("::ffff:10.0.0.1", .privateNetworks),
        ("100.64.0.1", AddressRanges()), ("224.0.0.1", AddressRanges()), ("198.18.0.1", AddressRanges()),
        ("2002:a00:1::", AddressRanges()),
    ])
    func `an address is allowed with its own range only`(text: String, range: AddressRanges) throws {
        let address = try #require(IPAddress(text))
        #expect(address.isAllowed(by: .any) && !address.isAllowed(by: .publicOnly))
        #expect(!address.isAllowed(by: .publicAnd([])))
        for other in [AddressRanges.loopback, .linkLocal, .privateNetworks] {
            #expect(address.isAllowed(by: .publicAnd(other)) == (other == range))
        }
        #expect(try #require(IPAddress("1.1.1.1")).isAllowed(by: .publicAnd([])))
    }

    @Test(arguments: ["", "localhost", "1.2.3", "0x7f000001", "1.2.3.4.5", "[::1]", ":::", "2001:db8::/32"])
    func `a text that is no IP address is not read as one`(text: String) { #expect(IPAddress(text) == nil) }

    @Test(arguments: ["1.2.3.4", "::1", "2001:db8::ff", "::ffff:1.2.3.4"])
    func `an address reads as it was written`(text: String) { #expect(IPAddress(text)?.text == text) }
}
