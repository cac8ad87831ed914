import Foundation

/// How long a response is fresh, and what it says about that.
struct CacheLifetime: Equatable {
    /// Seconds; 0 if it must not be kept.
    let seconds: Int

    /// The value of `Cache-Control`.
    let header: String

    /// By the settings, by what the origin says if they pass that on, or by `cap`; the server keeps nothing that the
    /// origin keeps from caches that several users share.
    ///
    /// `cap` is in seconds: until the URL expires, or the fallback's lifetime; nil without either.
    init(rules: ResponseRules, head: SourceHead?, cap: Int?, now: Date = Date()) {
        let privacy = head?.privacy
        if let cap {
            self.init(seconds: min(rules.ttl, max(0, cap)), privacy)
        } else if rules.passesCacheControl, let value = head?.cacheControl, !value.isEmpty {
            self.init(passing: value, privacy)
        } else if rules.passesCacheControl, let date = head?.expires.flatMap(HTTPDate.date) {
            self.init(seconds: date.timeIntervalSince(now).wholeSeconds, privacy)
        } else {
            self.init(seconds: rules.ttl, privacy)
        }
    }

    private init(seconds: Int, _ privacy: Privacy?) {
        let freshness = seconds > 0 ? "max-age=\(seconds)" : "no-cache"
        switch privacy {
        case nil:
            self.init(seconds: seconds, header: seconds > 0 ? "\(freshness), public" : freshness)
        case .client?: self.init(seconds: 0, header: "\(freshness), private")
        case Privacy.none?: self.init(seconds: 0, header: "no-store")
        }
    }

    private init(passing value: String, _ privacy: Privacy?) {
        let text = value.lowercased()
        switch privacy {
        // One that can't be passed on may forbid anything.
        case _ where value.utf8.count > ServerResponse.longestHeader:
            self.init(seconds: 0, header: "no-store")
        case nil: self.init(seconds: Self.seconds(in: value), header: value)
        // Otherwise it is due to a redirect, to a credential or to another field of this name.
        case .client? where text.contains("private"), Privacy.none? where text.contains("no-store"):
            self.init(seconds: 0, header: value)
        case let privacy?: self.init(seconds: Self.seconds(in: value), privacy)
        }
    }

    private init(seconds: Int, header: String) {
        self.seconds = seconds
        self.header = header
    }

    /// The lifetime that `value` gives to shared caches.
    private static func seconds(in value: String) -> Int {
        var lifetimes: [String: Int] = [:]
        for part in value.lowercased().split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
            }
            guard let name = pair.first else { continue }
            if ["no-store", "no-cache", "private"].contains(name) { return 0 }
            if pair.count == 2, let number = Int(pair[1]) { lifetimes[name] = max(0, number) }
        }
        return lifetimes["s-maxage"] ?? lifetimes["max-age"] ?? 0
    }
}

extension TimeInterval {
    /// Rounded down, from 0 to 2³¹ − 1, which caches take for ever (RFC 9111, 1.2.2).
    var wholeSeconds: Int { Int(Swift.min(Swift.max(0, rounded(.down)), 2_147_483_647)) }
}
