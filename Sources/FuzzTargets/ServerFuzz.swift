#if (DEBUG || FUZZ) && Server
    import AlcedoPixels
    import AlcedoServer

    /// The target of a request to the image server; the first byte selects settings.
    ///
    /// What is accepted has a layout whose parts are inside, and comes back if it is signed.
    enum ServerURLFuzz {
        private static let now = 1_700_000_000

        static func run(_ bytes: [UInt8]) {
            let rules = rules(bytes.first ?? 0)
            let hints = ClientHints(dpr: bytes.dropFirst().first.map { "\($0)" }, width: "300")
            do throws(URLFailure) {
                let url = try ImageURL(
                    requestTarget: Array(bytes.dropFirst()), rules: rules, hints: hints, now: now)
                check(url.options)
                check(url.source)
            } catch {
                precondition((403...404).contains(error.status) && !error.reason.isEmpty)
            }
            settings(String(decoding: bytes, as: UTF8.self))
        }

        private static let buckets: [ObjectAddress.Scheme: BucketRules] = [
            .s3: BucketRules(), .gs: BucketRules(), .abs: BucketRules(), .swift: BucketRules(),
        ]

        private static func rules(_ choice: UInt8) -> URLRules {
            var rules = URLRules()
            rules.allowsSecurityOptions = choice & 1 != 0
            rules.base64IncludesFilename = choice & 2 != 0
            if choice & 4 != 0 { rules.argumentsSeparator = choice & 8 != 0 ? "," : "ab" }
            if choice & 16 != 0 {
                rules.presets =
                    (try? Preset.list(["default=pr:b/w:5", "b=pr:default/h:9"], rules: rules)) ?? [:]
            }
            rules.onlyPresets = choice & 32 != 0
            if choice & 64 != 0 {
                rules.replacements = URLReplacement.list("http://*a*/=https://${1}${2}/") ?? []
                rules.allowedSources = SourcePattern.list("https://*.test/,local:///x")
            }
            if choice & 128 != 0 { rules.pathPrefix = "/a" }
            rules.buckets = buckets
            return rules
        }

        private static func check(_ options: ProcessingOptions) {
            for (width, height) in [(1, 1), (4000, 3000), (3, 70_000)] {
                let source = LayoutSource(size: PixelSize(width: width, height: height), isVector: width == 3)
                let layout = ImageLayout(source: source, options: options, format: options.format)
                let (crop, cut) = (layout.crop, layout.cut)
                precondition(crop.x >= 0 && crop.width >= 1 && crop.x + crop.width <= width)
                precondition(crop.y >= 0 && crop.height >= 1 && crop.y + crop.height <= height)
                precondition(cut.x >= 0 && cut.width >= 1 && cut.x + cut.width <= layout.scaled.width)
                precondition(cut.y >= 0 && cut.height >= 1 && cut.y + cut.height <= layout.scaled.height)
                precondition(layout.origin.x >= 0 && layout.origin.x + cut.width <= layout.canvas.width)
                precondition(layout.origin.y >= 0 && layout.origin.y + cut.height <= layout.canvas.height)
                precondition(layout.canvas.area < .max && !layout.result.isEmpty)
                guard let watermark = options.watermark else { continue }
                let mark = PixelSize(width: height, height: width)
                let place = WatermarkLayout(
                    options: watermark, image: layout.canvas, watermark: mark, dpr: layout.dpr)
                precondition(!place.size.isEmpty)
            }
        }

        private static func check(_ source: ImageSource) {
            let text: String
            switch source {
            case .http(let url): text = url
            case .object(let object): text = object.text
            case .local(let path):
                precondition(
                    path.hasPrefix("/") && !path.split(separator: "/").contains { $0 == ".." || $0 == "." })
                return
            }
            var rules = URLRules()
            rules.buckets = buckets
            for form in URLSigner.Form.allCases {
                let signed = try? URLSigner(rules: rules).url(options: "", source: text, form: form)
                let again = try? ImageURL(requestTarget: signed ?? "", rules: rules, now: now)
                precondition(again?.source == source)
            }
        }

        private static func settings(_ text: String) {
            _ = try? Preset.list(text.split(separator: "\n").map(String.init), rules: URLRules())
            _ = URLReplacement.list(text)
            _ = try? SigningKey.pairs(keys: text, salts: text)
            _ = SourcePattern.list(text)
        }
    }
#endif
