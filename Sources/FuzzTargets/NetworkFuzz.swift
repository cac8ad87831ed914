#if DEBUG || FUZZ
    @testable import AlcedoTransport
    import Foundation

    /// The head of a response, line by line, and all that is read out of it.
    enum HeaderFuzz {
        static func run(_ bytes: [UInt8]) {
            var block = HeaderBlock()
            var rest = bytes[...]
            while !rest.isEmpty {
                let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
                let line = Array(rest[..<end])
                if line.withUnsafeBytes({ block.append(line: $0) }) == .beyondLimit { break }
                rest = rest[end...]
            }
            precondition((0...9999).contains(block.status))
            _ = block.httpVersion
            _ = block.fields.count
            for name in ["Location", "Content-Length", "Retry-After"] { _ = block.value(of: name) }
            readCacheFields(of: block)
            let challenges = block.values(of: "WWW-Authenticate") + [String(decoding: bytes, as: UTF8.self)]
            _ = ChallengeParser.best(of: challenges)
        }

        private static func readCacheFields(of block: HeaderBlock) {
            let request = TransportRequest(url: URL(filePath: "/"))
            var stored = StoredResponse.nothing
            stored.headers = block.fields.map { StoredResponse.Field(name: $0.name, value: $0.value) }
            _ = Freshness.isFresh(stored, for: request, at: Date(timeIntervalSince1970: 1_900_000_000))
            _ = stored.conditions
        }
    }

    /// A URL, or a `Location` header; the first byte selects the base URL.
    enum URLFuzz {
        private static let bases = ["http://a.test/b/c?d#e", "https://[::1]:8443/", "http://1.2.3.4/%20/"]

        static func run(_ bytes: [UInt8]) {
            let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
            check(try? WebURL(text))
            _ = try? DataURL("data:" + text)
            _ = try? FileURL.path(of: "file:" + text)
            _ = IPAddress(text).map { ($0.isPublic, $0.text) }
            guard let base = try? WebURL(bases[Int(bytes.first ?? 0) % bases.count]) else { return }
            check(try? base.resolving(text))
            guard let request = try? TransportRequest(address: base.text) else { return }
            let response = TransportResponse(
                url: request.url, status: 302, headers: [("Location", text)])
            let next = try? RedirectPolicy.request(after: response, to: request, at: base, followed: 0)
            if let next {
                let scheme = next.address.prefix { $0 != ":" }
                precondition(scheme == "https" || (scheme == "http" && !base.isSecure))
                _ = try? RequestCheck.url(of: next)
            }
        }

        /// The checked host must be the one that libcurl parses from the same URL.
        private static func check(_ url: WebURL?) {
            guard let url, let again = try? WebURL(url.text) else { return }
            precondition(again.origin == url.origin && again.host == url.host)
            _ = url.asciiHost
        }
    }

    /// Cookies, as lines of libcurl's list and as they are given to it.
    enum CookieFuzz {
        static func run(_ bytes: [UInt8]) {
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            let jar = CookieJar()
            for line in lines.prefix(50) {
                guard let cookie = JarCookie(line: line) else { continue }
                jar.store(cookie)
            }
            for cookie in jar.cookies { jar.remove(cookie) }
        }
    }
#endif
