/// The elements and attributes that a sanitised SVG may have: those of SVG 1.1 and 2 that draw, style and animate.
///
/// Names are bytes: two texts that Swift finds equal may be two names to a browser.
enum SVGVocabulary {
    /// What an attribute's value is.
    enum Kind {
        /// Numbers, words or names, which load nothing.
        case plain
        /// CSS: may refer to other things, see ``SVGStyle``.
        case style
        /// A link, see ``SVGLink``.
        case link
    }

    /// Whether an element with these attributes is kept.
    static func isKept(_ element: [UInt8], _ attributes: [SVGTokens.Attribute]) -> Bool {
        if elements.contains(element) { return true }
        guard animations.contains(element) else { return false }
        // One that changes a link, a style or a handler would make it anything later.
        return attributes.filter { $0.name == attributeName }.allSatisfy {
            let target = $0.value.trimmingSpace
            return style.contains(target) || plain.contains(target)
        }
    }

    /// What the value of an attribute without a namespace is; nil for an attribute that is not kept.
    static func kind(of attribute: [UInt8]) -> Kind? {
        if plain.contains(attribute) || attribute.starts(with: "aria-".utf8) { return .plain }
        if style.contains(attribute) || values.contains(attribute) || attribute == styleSheet {
            return .style
        }
        return attribute == link ? .link : nil
    }

    static let root = Array("svg".utf8)
    static let styleSheet = Array("style".utf8)
    static let link = Array("href".utf8)

    /// The elements that may contain the image of a `data` URL.
    static let images = words("image feImage")

    /// The attributes of XML's own that are kept.
    static let xml = words("space lang")

    private static let attributeName = Array("attributeName".utf8)

    private static let elements = words(
        """
        a circle clipPath defs desc ellipse feBlend feColorMatrix feComponentTransfer feComposite \
        feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA \
        feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset \
        fePointLight feSpecularLighting feSpotLight feTile feTurbulence filter g image line \
        linearGradient marker mask mpath path pattern polygon polyline radialGradient rect stop style \
        svg switch symbol text textPath title tspan use view
        """)

    private static let animations = words("animate animateMotion animateTransform set")

    /// What animations set their attribute to.
    private static let values = words("by from to values")

    private static let plain = words(
        """
        accumulate additive amplitude attributeName attributeType azimuth baseFrequency begin bias \
        calcMode class clipPathUnits cx cy d diffuseConstant divisor dur dx dy edgeMode elevation end \
        exponent filterRes filterUnits fr fx fy gradientTransform gradientUnits height id in in2 \
        intercept k1 k2 k3 k4 kernelMatrix kernelUnitLength keyPoints keySplines keyTimes lang \
        lengthAdjust limitingConeAngle markerHeight markerUnits markerWidth maskContentUnits maskUnits \
        max media method min mode numOctaves offset operator order orient origin path pathLength \
        patternContentUnits patternTransform patternUnits points pointsAtX pointsAtY pointsAtZ \
        preserveAlpha preserveAspectRatio primitiveUnits r radius refX refY repeatCount repeatDur \
        requiredExtensions requiredFeatures restart result role rotate rx ry scale seed side slope \
        spacing specularConstant specularExponent spreadMethod startOffset stdDeviation stitchTiles \
        surfaceScale systemLanguage tableValues targetX targetY textLength transform type version \
        viewBox width x x1 x2 xChannelSelector y y1 y2 yChannelSelector z
        """)

    private static let style = words(
        """
        alignment-baseline baseline-shift clip clip-path clip-rule color color-interpolation \
        color-interpolation-filters color-rendering cursor direction display dominant-baseline \
        enable-background fill fill-opacity fill-rule filter flood-color flood-opacity font font-family \
        font-size font-size-adjust font-stretch font-style font-variant font-weight \
        glyph-orientation-horizontal glyph-orientation-vertical image-rendering isolation kerning \
        letter-spacing lighting-color marker marker-end marker-mid marker-start mask mask-type \
        mix-blend-mode opacity overflow paint-order pointer-events shape-rendering stop-color \
        stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin \
        stroke-miterlimit stroke-opacity stroke-width text-anchor text-decoration text-overflow \
        text-rendering transform-box transform-origin unicode-bidi vector-effect visibility white-space \
        word-spacing writing-mode
        """)

    private static func words(_ text: String) -> Set<[UInt8]> {
        Set(text.split(separator: " ").map { Array($0.utf8) })
    }
}

/// Where a sanitised SVG may lead: to its own parts, and to pixels inside it.
enum SVGLink {
    /// Whether a link may stay: `#…`, and for an image `data:` with pixels.
    static func isKept(_ link: [UInt8], forImage: Bool) -> Bool {
        let link = link.trimmingSpace
        if link.first == UInt8(ascii: "#") { return true }
        // An SVG inside would have to be sanitised too.
        return forImage
            && pixels.contains { type in
                let rest = link.dropFirst(type.count)
                return link.prefix(type.count).map(\.asciiLowercased).elementsEqual(type)
                    && (rest.first == UInt8(ascii: ";") || rest.first == UInt8(ascii: ","))
            }
    }

    private static let pixels = ["png", "jpeg", "jpg", "gif", "webp", "avif"].map {
        Array("data:image/\($0)".utf8)
    }
}

extension UInt8 {
    /// Whether XML and CSS take it for white space.
    var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0a || self == 0x0d }
}

extension [UInt8] {
    /// Without the white space around it.
    var trimmingSpace: [UInt8] {
        Array(drop(while: \.isXMLSpace).reversed().drop(while: \.isXMLSpace).reversed())
    }
}
