#if Server
    import Foundation

    /// The elements and attributes that a sanitised SVG must not have.
    enum SVGNames {
        private static let elements: Set<String> = [
            "script", "foreignobject", "iframe", "object", "embed", "handler", "listener", "audio", "video",
            "form",
            "link", "meta", "base",
        ]

        /// Elements that change an attribute of another one later.
        private static let animations: Set<String> = [
            "set", "animate", "animatetransform", "animatemotion", "animatecolor",
        ]

        /// A name without its prefix, in lower case.
        static func local(_ name: [UInt8]) -> String {
            let text = String(decoding: name, as: UTF8.self).lowercased()
            return text.lastIndex(of: ":").map { String(text[text.index(after: $0)...]) } ?? text
        }

        static func isRemoved(_ name: [UInt8], _ attributes: [SVGTokens.Attribute]) -> Bool {
            let name = local(name)
            if elements.contains(name) { return true }
            guard animations.contains(name) else { return false }
            return attributes.contains { attribute in
                guard local(attribute.name) == "attributename" else { return false }
                let target = local(decoded(attribute.value).utf8.map { $0 })
                return target == "href" || target.hasPrefix("on")
            }
        }

        static func isRemoved(_ attribute: SVGTokens.Attribute) -> Bool {
            let name = local(attribute.name)
            if name.hasPrefix("on") { return true }
            guard name == "href" || name == "src" || name == "base" else { return false }
            // Browsers skip white space and control characters in a scheme.
            let value = decoded(attribute.value).unicodeScalars.filter { $0.value > 0x20 }
            let target = String(String.UnicodeScalarView(value)).lowercased()
            guard let colon = target.firstIndex(of: ":"), !target[..<colon].contains("/"),
                !target[..<colon].contains("#")
            else { return false }
            let images = ["png", "jpeg", "jpg", "gif", "webp", "avif"].map { "data:image/\($0)" }
            return !(["http:", "https:"] + images).contains { target.hasPrefix($0) }
        }

        /// A value with its character references replaced.
        private static func decoded(_ value: [UInt8]) -> String {
            var rest = String(decoding: value, as: UTF8.self)[...]
            var text = ""
            while let ampersand = rest.firstIndex(of: "&") {
                text += rest[..<ampersand]
                rest = rest[ampersand...].dropFirst()
                guard let end = rest.firstIndex(of: ";") else { break }
                let name = rest[..<end]
                let number: UInt32? =
                    name.hasPrefix("#x")
                    ? UInt32(name.dropFirst(2), radix: 16)
                    : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
                if let scalar = number.flatMap(Unicode.Scalar.init) {
                    text.unicodeScalars.append(scalar)
                } else {
                    text += ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"][name] ?? ""
                }
                rest = rest[end...].dropFirst()
            }
            return text + rest
        }
    }
#endif
