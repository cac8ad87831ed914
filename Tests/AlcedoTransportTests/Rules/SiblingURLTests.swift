import Testing

@testable import AlcedoTransport

struct `A URL of the same server` {
    private static let first = "http://Birds.test:81/heron?large"

    @Test(arguments: [
        "http://Birds.test:81/egret", "http://Birds.test:81/", "http://Birds.test:81/a/../b;c?d=e@f#g",
        "http://Birds.test:81//x.test/", "http://Birds.test:81/%2e%2e/\\x",
    ])
    func `a URL of the same server is what parsing from scratch returns`(text: String) throws {
        let sibling = try #require(try WebURL(Self.first).sibling(text))
        let fresh = try WebURL(text)
        #expect(sibling.text == text)
        #expect(sibling.scheme == fresh.scheme)
        #expect(sibling.host == fresh.host)
        #expect(sibling.port == fresh.port)
        #expect(sibling.origin == fresh.origin)
        #expect(sibling.sibling(Self.first)?.origin == fresh.origin)
    }

    @Test(arguments: [
        "http://Birds.test:81", "http://Birds.test:81?x", "http://Birds.test:810/", "http://Birds.test/",
        "https://Birds.test:81/", "http://birds.test:81/", "http://Birds.test:81@x.test/",
        "http://Birds.test:81\\@x.test/", "http://Birds.test:81/a b", "http://Birds.test:81/\n",
        "http://Birds.test:81/é", "",
    ])
    func `a URL of the same server is taken for one only if nothing else can be meant`(text: String) throws {
        #expect(try WebURL(Self.first).sibling(text) == nil)
    }

    @Test(arguments: [
        "http://user@birds.test/", "http:birds.test/", "http://bücher.test/", " http://birds.test/",
    ])
    func `a URL of the same server has to be like one that is plain itself`(first: String) {
        guard let url = try? WebURL(first) else { return }
        #expect(url.sibling(first + "x") == nil)
    }
}
