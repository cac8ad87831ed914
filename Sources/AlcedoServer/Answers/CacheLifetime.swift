#if Server
    import Foundation

    /// How long an answer is fresh, and what it says about that.
    struct CacheLifetime: Equatable {
        /// Seconds; 0 if it must not be kept.
        let seconds: Int

        /// The value of `Cache-Control`.
        let header: String

        /// By the settings, by what the origin says if they pass that on, or by `cap`.
        ///
        /// `cap` is in seconds: until the URL expires, or the fallback's lifetime; nil without either.
        init(rules: AnswerRules, head: SourceHead?, cap: Int?, now: Date = Date()) {
            if let cap {
                self.init(seconds: min(rules.ttl, max(0, cap)))
            } else if rules.passesCacheControl, let value = head?.cacheControl, !value.isEmpty {
                self.init(seconds: Self.seconds(in: value), header: value)
            } else if rules.passesCacheControl, let date = head?.expires.flatMap(HTTPDate.date) {
                self.init(seconds: max(0, Int(date.timeIntervalSince(now).rounded(.down))))
            } else {
                self.init(seconds: rules.ttl)
            }
        }

        private init(seconds: Int) {
            self.init(seconds: seconds, header: seconds > 0 ? "max-age=\(seconds), public" : "no-cache")
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
#endif
