import Foundation

// Rows for what servers send that is unusual, wrong or a lie. Two other private HTTP caches got the same rows.

extension FreshnessCase {
    /// Directives that are written in a strange way.
    static let syntax: [Self] = [
        Self("leading zeros", [control("max-age=0060")], after: 59, .reuses),
        Self("max-age without a value", [control("max-age"), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self(
            "max-age with an empty value", [control("max-age="), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self("a semicolon", [control("max-age=60; public"), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self("an exponent", [control("max-age=1e3"), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self("a sign", [control("max-age=+60"), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self("hexadecimal", [control("max-age=0x3c"), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self("single quotes", [control("max-age='60'"), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self("other digits", [control("max-age=٦٠"), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self("31 bits", [control("max-age=2147483647")], after: 5e5, .reuses),
        Self("32 bits", [control("max-age=4294967296")], after: 5e5, .reuses),
        Self("twice, the first is longer", [control("max-age=60, max-age=30")], after: 20, .reuses),
        Self(
            "twice, one is invalid", [control("max-age=60, max-age=x"), tag], after: 0,
            .revalidates(tag: "\"1\"")),
        Self("empty elements", [control(", ,max-age=60,,")], after: 59, .reuses),
        Self("no spaces", [control("public,max-age=60,private")], after: 59, .reuses),
        Self("tabs", [control("\tpublic,\tmax-age=60")], after: 59, .reuses),
        Self("an empty field", [control(""), control("max-age=60")], after: 59, .reuses),
        Self("no-store in another field", [control("max-age=60"), control("no-store")], after: 0, .loads),
        Self("no-store with a value", [control("no-store=1, max-age=60")], after: 0, .loads),
        Self("No-Store", [control("No-Store, max-age=60")], after: 0, .loads),
        Self("no-store in quotes", [control("max-age=60, a=\"no-store\"")], after: 59, .reuses),
        Self("no-store as a part of a name", [control("max-age=60, x-no-store")], after: 59, .reuses),
        Self(
            "no-store beside must-understand", [control("must-understand, no-store, max-age=60")], after: 0,
            .loads),
        Self("an escaped quote", [control("a=\"x\\\", no-store, y\", max-age=60")], after: 59, .reuses),
        Self(
            "max-age in quotes of another", [control("a=\"max-age=60\""), tag], after: 0,
            .revalidates(tag: "\"1\"")),
        Self(
            "no-cache in another field", [control("max-age=60"), control("no-cache"), tag], after: 0,
            .revalidates(tag: "\"1\"")),
    ]

    /// Directives that mean nothing, or something else, to a private cache.
    static let meanings: [Self] = [
        Self("proxy-revalidate", [control("proxy-revalidate, max-age=60")], after: 59, .reuses),
        Self(
            "proxy-revalidate, over", [control("proxy-revalidate, max-age=60"), tag], after: 61,
            .revalidates(tag: "\"1\"")),
        Self("must-understand", [control("must-understand, max-age=60")], after: 59, .reuses),
        Self("no-transform", [control("no-transform, max-age=60")], after: 59, .reuses),
        Self("private of a field", [control("private=\"x\", max-age=60")], after: 59, .reuses),
        Self("s-maxage of 0", [control("s-maxage=0, max-age=60")], after: 59, .reuses),
        Self(
            "a request's directive", [control("only-if-cached, min-fresh=5, max-age=60")], after: 59,
            .reuses),
        Self("immutable alone", [control("immutable"), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self(
            "stale-while-revalidate, fresh", [control("max-age=60, stale-while-revalidate=9")], after: 59,
            .reuses),
        Self(
            "stale-while-revalidate, over", [control("max-age=60, stale-while-revalidate=9"), tag],
            after: 70, .revalidates(tag: "\"1\"")),
        Self(
            "stale-if-error", [control("max-age=60, stale-if-error=99"), tag], after: 61,
            .revalidates(tag: "\"1\"")),
        Self(
            "a CDN's own field", [("CDN-Cache-Control", "max-age=60"), tag], after: 0,
            .revalidates(tag: "\"1\"")),
        Self(
            "Surrogate-Control", [("Surrogate-Control", "no-store"), control("max-age=60")], after: 59,
            .reuses),
        Self(
            "Warning", [("Warning", "110 - \"Response is stale\""), control("max-age=60")], after: 59,
            .reuses),
        Self("Pragma of another kind", [("Pragma", "public"), ("Expires", "@60")], after: 59, .reuses),
        Self(
            "Clear-Site-Data", [("Clear-Site-Data", "\"cookies\""), control("max-age=60")], after: 59,
            .reuses),
        Self("203", status: 203, [control("max-age=60")], after: 59, .reuses),
        Self("203, heuristically", status: 203, [("Last-Modified", "@-1000")], after: 99, .reuses),
        Self(
            "Vary, two fields", [control("max-age=60"), ("Vary", "Accept"), ("Vary", "X")], after: 59,
            .reuses),
        Self("Vary: * in a list", [control("max-age=60"), ("Vary", "Accept, *")], after: 0, .loads),
        Self(
            "Vary: * in the second field", [control("max-age=60"), ("Vary", "Accept"), ("Vary", "*")],
            after: 0, .loads),
        Self("an empty Vary", [control("max-age=60"), ("Vary", "")], after: 59, .reuses),
    ]

    /// Dates and ages that are wrong.
    static let times: [Self] = [
        Self("an RFC 850 date", [("Expires", "850@60")], after: 59, .reuses),
        Self("an asctime date", [("Expires", "Sun Mar 17 17:47:40 2030")], after: 59, .reuses),
        Self(
            "Expires in 1970", [("Expires", "Thu, 01 Jan 1970 00:00:00 GMT"), tag], after: 0,
            .revalidates(tag: "\"1\"")),
        Self("Expires in 9999", [("Expires", "Fri, 31 Dec 9999 23:59:59 GMT")], after: 5e5, .reuses),
        Self("Expires of -1", [("Expires", "-1"), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self(
            "Expires on the 32nd", [("Expires", "Thu, 32 Jan 2099 00:00:00 GMT"), tag], after: 0,
            .revalidates(tag: "\"1\"")),
        Self("Expires as seconds", [("Expires", "2000000000"), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self(
            "Expires as ISO 8601", [("Expires", "2099-01-01T00:00:00Z"), tag], after: 0,
            .revalidates(tag: "\"1\"")),
        Self(
            "a Date in 1970", [control("max-age=60"), ("Date", "Thu, 01 Jan 1970 00:00:00 GMT")], after: 0,
            .reloads),
        Self(
            "a Date in 9999", [control("max-age=60"), ("Date", "Fri, 31 Dec 9999 23:59:59 GMT")], after: 59,
            .reuses),
        Self(
            "a Date in 9999, over", [control("max-age=60"), ("Date", "Fri, 31 Dec 9999 23:59:59 GMT")],
            after: 61, .reloads),
        Self(
            "Expires from a Date in the future", [("Date", "@600"), ("Expires", "@660")], after: 59, .reuses),
        Self(
            "Expires before a Date in the future", [("Date", "@600"), ("Expires", "@60")], after: 0,
            .reloads),
        Self("an Age in a list", [control("max-age=60"), ("Age", "50, 0")], after: 11, .reloads),
        Self("an Age with a fraction", [control("max-age=60"), ("Age", "50.5")], after: 59, .reuses),
        Self(
            "an Age beyond 64 bits", [control("max-age=60"), ("Age", "99999999999999999999")], after: 0,
            .reloads),
        Self("an empty Age", [control("max-age=60"), ("Age", "")], after: 59, .reuses),
        Self(
            "modified in 1970", [("Last-Modified", "Thu, 01 Jan 1970 00:00:00 GMT")], after: 0,
            .revalidates(modified: -1_900_000_000)),
        Self("modified at an invalid time", [("Last-Modified", "yesterday")], after: 0, .reloads),
        Self(
            "modified after Date", [("Date", "@0"), ("Last-Modified", "@5")], after: 0,
            .revalidates(modified: 5)),
        Self("heuristic with public", [control("public"), ("Last-Modified", "@-1000")], after: 99, .reuses),
        Self(
            "heuristic and Age", [("Age", "60"), ("Last-Modified", "@-1000")], after: 41,
            .revalidates(modified: -1000)),
    ]

    /// Entity tags that are none.
    static let tags: [Self] = [
        Self(
            "a tag without quotes", [control("max-age=0"), ("ETag", "abc")], after: 0,
            .revalidates(tag: "abc")),
        Self(
            "a tag with one quote", [control("max-age=0"), ("ETag", "\"")], after: 0,
            .revalidates(tag: "\"")),
        Self(
            "a weak tag without quotes", [control("max-age=0"), ("ETag", "W/abc")], after: 0,
            .revalidates(tag: "W/abc")),
        Self("an empty tag", [control("max-age=0"), ("ETag", "")], after: 0, .reloads),
        Self(
            "an empty tag and a date", [control("max-age=0"), ("ETag", ""), ("Last-Modified", "@-9")],
            after: 0, .revalidates(modified: -9)),
        Self(
            "a comma in a tag", [control("max-age=0"), ("ETag", "\"a,b\"")], after: 0,
            .revalidates(tag: "\"a,b\"")),
        Self(
            "a tag that would fill a request",
            [
                control("max-age=0"), ("ETag", "\"" + String(repeating: "x", count: 5_000) + "\""),
            ], after: 0, .reloads),
    ]

    /// Responses of which no image is kept.
    static let statuses: [Self] = [300, 404, 410, 500, 503].map { status in
        Self("status \(status)", status: status, [control("max-age=60"), tag], after: 0, .loads)
    }
}
