#if SVG
    import AlcedoPixels
    import AlcedoSVG
    import AlcedoTestSupport
    import Testing

    struct `Colours that librsvg draws` {
        private static let modes = [
            "multiply", "screen", "overlay", "darken", "lighten", "color-dodge", "color-burn", "hard-light",
            "soft-light", "difference", "exclusion", "hue", "saturation", "color", "luminosity",
        ]

        private static let filters = [
            "<feGaussianBlur stdDeviation='2.3'/>", "<feMorphology operator='dilate' radius='2'/>",
            "<feColorMatrix values='1 0 0 0 .9 0 1 0 0 .9 0 0 1 0 .9 0 0 0 .3 0'/>",
            "<feComponentTransfer><feFuncR type='linear' slope='3'/><feFuncA type='linear' slope='.3'/></feComponentTransfer>",
            "<feComposite operator='arithmetic' in2='SourceGraphic' k1='.3' k2='2' k3='-.7' k4='.2'/>",
            "<feConvolveMatrix kernelMatrix='1 2 -1 0 3 0 -1 2 1' divisor='2' bias='.1'/>",
            "<feConvolveMatrix kernelMatrix='1 2 1 0 -3 0 1 2 1' divisor='1' preserveAlpha='true'/>",
            "<feTurbulence baseFrequency='.2' numOctaves='3'/>",
            "<feDiffuseLighting lighting-color='red'><feDistantLight azimuth='30' elevation='40'/></feDiffuseLighting>",
            "<feSpecularLighting lighting-color='#fc8' specularExponent='3' specularConstant='2'><fePointLight x='9' y='9' z='9'/></feSpecularLighting>",
            "<feDisplacementMap in2='SourceGraphic' scale='9' xChannelSelector='R' yChannelSelector='G'/>",
            "<feFlood flood-color='#fa3' flood-opacity='.3' result='a'/><feBlend mode='color-dodge' in2='SourceGraphic'/>",
        ]

        @Test(
            arguments: modes.map { "opacity='.4' style='mix-blend-mode:\($0)'" }
                + filters.indices.map { "filter='url(#f\($0))'" })
        func `colours drawn by librsvg are never above their alpha`(_ attribute: String) throws {
            let definitions = Self.filters.enumerated().map {
                "<filter id='f\($0.offset)'>\($0.element)</filter>"
            }.joined()
            let shapes = (0..<40).map { index in
                let color = "rgb(\(index * 37 % 256),\(index * 91 % 256),\(index * 151 % 256))"
                return
                    "<circle cx='\(index * 29 % 80)' cy='\(index * 17 % 80)' r='\(5 + index % 13)' fill='\(color)' fill-opacity='.\(index * 7 % 9 + 1)' \(attribute)/>"
            }.joined()
            let text =
                "<svg xmlns='http://www.w3.org/2000/svg' width='80' height='80'><defs>\(definitions)</defs>\(shapes)</svg>"
            let bitmap = try SVGCodec().decode(Array(text.utf8).span.bytes, options: DecodeOptions())
            let excess = bitmap.withUnsafeBytes { bytes in
                bytes.indices.map { Int(bytes[$0]) - Int(bytes[$0 | 3]) }.max() ?? 0
            }
            #expect(excess <= 0)
        }
    }
#endif
