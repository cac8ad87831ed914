import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

/// SVGs that try to run a script or to load something, sanitised and read as a browser without mercy would.
///
/// `make svg-check` opens the same results in a browser.
struct `SVGs that try to pass the sanitizer` {
    private static let harmful = [
        "script", "foreignobject", "iframe", "frame", "frameset", "embed", "object", "handler", "listener",
        "meta", "link", "base", "form", "input", "img", "body", "html", "audio", "video", "math", "metadata",
    ]

    private static let harmfulAttributes = [
        "src", "srcdoc", "action", "formaction", "data", "ping", "target", "xml:base", "content",
    ]

    private static let pixels = ["png", "jpeg", "jpg", "gif", "webp", "avif"].map { "data:image/\($0)" }

    /// What is harmful in `svg`, which has one spelling: double quotes, and no `<` but of tags.
    private func faults(in svg: String) -> [String] {
        var faults: [String] = []
        for word in ["<!", "<?", "]]>"] where svg.contains(word) { faults.append(word) }
        for tag in svg.matches(of: /<\/?([^\s>\/"]*)([^>]*)>/) {
            let name = tag.output.1.lowercased()
            if name.contains(":") || Self.harmful.contains(name) { faults.append("<\(name)>") }
            for attribute in tag.output.2.matches(of: /\s([^\s=]+)="([^"]*)"/) {
                let (name, value) = (attribute.output.1.lowercased(), String(attribute.output.2))
                let isLink = name == "href" || name == "xlink:href"
                if name.hasPrefix("on") || Self.harmfulAttributes.contains(name)
                    || isLink && !isInside(value, of: tag.output.1.lowercased()) || loads(value)
                {
                    faults.append("\(name)=\(value)")
                }
            }
        }
        for style in svg.matches(of: /<style[^>]*>([^<]*)</) where loads(String(style.output.1)) {
            faults.append(String(style.output.1))
        }
        return faults
    }

    private func isInside(_ link: String, of element: String) -> Bool {
        link.hasPrefix("#")
            || ["image", "feimage"].contains(element)
                && Self.pixels.contains { link.lowercased().hasPrefix($0) }
    }

    /// Whether CSS leads anywhere: as text, also where a comment or a string makes it harmless.
    private func loads(_ css: String) -> Bool {
        let css = css.lowercased().replacing("&quot;", with: "\"")
        let functions = [
            "@import", "image-set(", "expression(", "cross-fade(", "src(", "element(",
        ]
        let addresses = css.matches(of: /url\(\s*["']?\s*([^)"']*)/).map { String($0.output.1) }
        return functions.contains { css.contains($0) }
            || addresses.contains { !isInside($0, of: "image") }
    }

    @Test func `SVGs that try to pass the sanitizer lose all that runs or loads`() throws {
        let cases = try JSONDecoder().decode(
            [String].self, from: Data(try Fixture.data("sanitizer/bypasses.json")))
        #expect(cases.count > 400)
        var sanitised = 0
        for text in cases {
            let bytes =
                text.hasPrefix("base64,")
                ? try #require(Data(base64Encoded: String(text.dropFirst(7)))) : Data(text.utf8)
            guard let result = try? SVGSanitizer.sanitized(bytes) else { continue }
            sanitised += 1
            let faults = faults(in: String(decoding: result, as: UTF8.self))
            #expect(faults.isEmpty, "\(text) => \(String(decoding: result, as: UTF8.self))")
            #expect(try SVGSanitizer.sanitized(result) == result)
        }
        #expect(sanitised > 300)
    }

    @Test func `the check of sanitised SVGs finds what runs or loads in unsanitised ones`() throws {
        let cases = try JSONDecoder().decode(
            [String].self, from: Data(try Fixture.data("sanitizer/bypasses.json")))
        // Unsanitised, many are seen for what they are.
        let found = cases.count { !faults(in: $0.replacing("'", with: "\"")).isEmpty }
        #expect(found > cases.count / 3)
    }
}
