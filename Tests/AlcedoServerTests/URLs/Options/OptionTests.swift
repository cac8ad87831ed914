import AlcedoPixels
import Testing

@testable import AlcedoServer

struct `Options` {
    private func expect(
        _ texts: String..., location: SourceLocation = #_sourceLocation,
        change: (inout ProcessingOptions) -> Void
    ) throws {
        var wanted = ProcessingOptions()
        change(&wanted)
        for text in texts { #expect(try Reading.options(text) == wanted, sourceLocation: location) }
    }

    @Test func `options have defaults`() throws {
        try expect("") { _ in }
        let defaults = ProcessingOptions()
        #expect(
            defaults.resizingType == .fit && defaults.dpr == 1 && defaults.zoomX == 1
                && defaults.autoRotate)
        #expect(defaults.stripMetadata && defaults.keepCopyright && defaults.stripColorProfile)
        #expect(!defaults.preserveHDR && !defaults.enforceThumbnail && !defaults.enlarge)
        #expect(
            defaults.formatQuality == [.jpeg: 80, .webp: 79, .avif: 63, .jxl: 77] && defaults.quality == 0
        )
    }

    @Test func `width, height, min-width, zoom and dpr set sizes`() throws {
        try expect("w:30", "width:30", "rs::30", "size:30", "s:30:", "w:5/w:30", "w:+30", "w:030") {
            $0.width = 30
        }
        try expect("h:30", "height:30", "rs:::30", "s::30") { $0.height = 30 }
        try expect("mw:1/mh:2", "min-width:1/min-height:2") { ($0.minWidth, $0.minHeight) = (1, 2) }
        try expect("z:2", "zoom:2.0", "z:2:2", "z:2e0") { ($0.zoomX, $0.zoomY) = (2, 2) }
        try expect("z:.5:3") { ($0.zoomX, $0.zoomY) = (0.5, 3) }
        try expect("dpr:1.5") { $0.dpr = 1.5 }
        try expect("w:0", "h:0", "w:-0", "dpr:1", "c:0", "c:0:0") { _ in }
    }

    @Test func `resizing_type sets the type`() throws {
        for type in ResizingType.allCases {
            let name = type.rawValue
            try expect("rs:\(name)", "rt:\(name)", "resizing_type:\(name)", "resize:\(name)::") {
                $0.resizingType = type
            }
        }
    }

    @Test func `the option resize sets all at once`() throws {
        try expect(
            "rs:fill:3:4:1:1:soea:5:6", "rt:fill/s:3:4:t:true:soea:5:6",
            "rt:fill/w:3/h:4/el:1/ex:1:soea:5:6"
        ) {
            $0.resizingType = .fill
            ($0.width, $0.height, $0.enlarge) = (3, 4, true)
            $0.extend = Extend(isEnabled: true, gravity: Gravity(.southEast, x: 5, y: 6))
        }
        try expect("rs:::::::", "rs:", "s:", "s:::::::/rs:") { _ in }
        try expect("rs:::::1::5:6", "s::::1::5:6") {
            $0.extend = Extend(isEnabled: true, gravity: Gravity(x: 5, y: 6))
        }
        try expect("w:3/rs:fill::4") {
            $0.resizingType = .fill
            ($0.width, $0.height) = (3, 4)
        }
        try expect("w:3/h:4/el:1/rs:fit:::0", "w:3/s::4") { ($0.width, $0.height) = (3, 4) }
    }

    @Test(arguments: ["1", "t", "T", "true", "TRUE", "True"]) func `options are true in six ways`(
        text: String
    )
        throws
    {
        try expect("el:\(text)", "enlarge:\(text)") { $0.enlarge = true }
    }

    @Test(arguments: ["0", "f", "yes", "tRUE", "2", "-1", "é", ""])
    func `options are false otherwise`(text: String) throws {
        try expect("ar:\(text)", "auto_rotate:\(text)") { $0.autoRotate = false }
    }

    @Test func `extend and extend_ar set the extension`() throws {
        try expect("ex:1", "extend:1") { $0.extend.isEnabled = true }
        try expect("ex:1:fp:0.25:1") {
            $0.extend = Extend(isEnabled: true, gravity: Gravity(.focusPoint, x: 0.25, y: 1))
        }
        try expect("exar:1:no::-2", "extend_ar:1:no::-2", "extend_aspect_ratio:1:no:0:-2") {
            $0.extendAspectRatio = Extend(isEnabled: true, gravity: Gravity(.north, x: 0, y: -2))
        }
        try expect("ex:1:no/ex:0") { _ in }
    }

    @Test func `gravity sets the place`() throws {
        for anchor in Gravity.Anchor.allCases where anchor != .focusPoint {
            try expect("g:\(anchor.rawValue)", "gravity:\(anchor.rawValue)") {
                $0.gravity = Gravity(anchor)
            }
        }
        try expect("g:no:-1.5:0.25") { $0.gravity = Gravity(.north, x: -1.5, y: 0.25) }
        try expect("g:no:3", "g:no:3:") { $0.gravity = Gravity(.north, x: 3) }
        try expect("g:fp:0:1") { $0.gravity = Gravity(.focusPoint, x: 0, y: 1) }
    }

    @Test func `crop sets size and gravity`() throws {
        try expect("c:10", "crop:10", "c:10:0") { $0.crop = Crop(width: 10) }
        try expect("c:0.5:20:sm") { $0.crop = Crop(width: 0.5, height: 20, gravity: Gravity(.smart)) }
        try expect("c:1:2:nowe:3:4") {
            $0.crop = Crop(width: 1, height: 2, gravity: Gravity(.northWest, x: 3, y: 4))
        }
    }

    @Test func `trim sets threshold, colour and sides`() throws {
        try expect("t:", "trim:", "t:5/t:", "t::ff0000") { _ in }
        try expect("t:5", "trim:5:") { $0.trim = Trim(threshold: 5) }
        try expect("t:5.5:f0a:1:1", "t:5.5:ff00aa:t:t") {
            let color = RGBColor(red: 255, green: 0, blue: 170)
            $0.trim = Trim(threshold: 5.5, color: color, equalHorizontally: true, equalVertically: true)
        }
    }

    @Test func `padding sets its sides as CSS does`() throws {
        try expect("pd:1", "padding:1", "pd:1:1:1:1") {
            $0.padding = Padding(top: 1, right: 1, bottom: 1, left: 1)
        }
        try expect("pd:1:2") { $0.padding = Padding(top: 1, right: 2, bottom: 1, left: 2) }
        try expect("pd:1:2:3") { $0.padding = Padding(top: 1, right: 2, bottom: 3, left: 2) }
        try expect("pd:1:2:3:4") { $0.padding = Padding(top: 1, right: 2, bottom: 3, left: 4) }
        try expect("pd::2") { $0.padding = Padding(right: 2, left: 2) }
        try expect("pd:::3:4") { $0.padding = Padding(bottom: 3, left: 4) }
    }

    @Test func `rotate and flip turn`() throws {
        try expect("rot:90", "rotate:90", "rot:450") { $0.rotation = 90 }
        try expect("rot:0", "rot:360", "fl:", "fl:0:0") { _ in }
        try expect("fl:1", "flip:1:0") { $0.flipsHorizontally = true }
        try expect("fl::1") { $0.flipsVertically = true }
    }

    @Test func `background sets a colour`() throws {
        let colour = RGBColor(red: 255, green: 0, blue: 17)
        try expect("bg:ff0011", "bg:FF0011", "bg:f01", "bg:255:0:17", "background:f01") {
            $0.background = colour
        }
        try expect("bg:f01/bg:", "bg:") { _ in }
    }

    @Test func `blur, sharpen and pixelate set filters`() throws {
        try expect("bl:1.5", "blur:1.5") { $0.blur = 1.5 }
        try expect("sh:0.5", "sharpen:.5") { $0.sharpen = 0.5 }
        try expect("pix:8", "pixelate:8") { $0.pixelate = 8 }
    }

    @Test func `watermark sets opacity, place and scale`() throws {
        try expect("wm:0", "wm:1/wm:0") { _ in }
        try expect("wm:0.5", "watermark:.5", "wm:0.5::::") { $0.watermark = Watermark(opacity: 0.5) }
        try expect("wm:1:soea:-10:0.2:0.3") {
            $0.watermark = Watermark(position: .gravity(Gravity(.southEast, x: -10, y: 0.2)), scale: 0.3)
        }
        try expect("wm:1:ce:0:0:0.3:1", "wm:1:ce:0:0:0.3:1:45") { $0.watermark = Watermark(scale: 0.3) }
        try expect("wm:1:re:5") { $0.watermark = Watermark(position: .tiled(x: 5, y: 0)) }
        try expect("wm:1::5:6") { $0.watermark = Watermark(position: .gravity(Gravity(x: 5, y: 6))) }
    }

    @Test func `strip_metadata and its kin set what is kept`() throws {
        try expect("sm:0", "strip_metadata:0") { $0.stripMetadata = false }
        try expect("kcr:0", "keep_copyright:0") { $0.keepCopyright = false }
        try expect("scp:0", "strip_color_profile:0") { $0.stripColorProfile = false }
        try expect("ph:1", "preserve_hdr:1") { $0.preserveHDR = true }
        try expect("eth:1", "enforce_thumbnail:1") { $0.enforceThumbnail = true }
    }

    @Test func `quality, max_bytes, skip_processing and raw set the encoding`() throws {
        try expect("q:100", "quality:100") { $0.quality = 100 }
        try expect("fq:jpg:10:webp:0", "format_quality:jpeg:10/fq:webp:0") {
            $0.formatQuality[.jpeg] = 10
            $0.formatQuality[.webp] = 0
        }
        try expect("mb:1000", "max_bytes:1000") { $0.maxBytes = 1000 }
        try expect("skp:jpg:png", "skip_processing:jpeg/skp:png") { $0.skipProcessing = [.jpeg, .png] }
        try expect("raw:1") { $0.raw = true }
    }

    @Test func `jpeg_options and its kin set how results are encoded`() throws {
        try expect("jpgo:1:1:1:1:1:3", "jpeg_options:t:1", "jpgo:1/jpgo::1") {
            ($0.encoding.jpeg.isProgressive, $0.encoding.jpeg.keepsChroma) = (true, true)
        }
        try expect("pngo:1:1:16", "png_options:1:1:16", "pngo:0:1:16/pngo:1") {
            ($0.encoding.png.isInterlaced, $0.encoding.png.isQuantized) = (true, true)
            $0.encoding.png.mostColors = 16
        }
        try expect("webpo:near_lossless:1:text", "webp_options:near_lossless/webpo::1:text") {
            $0.encoding.webP.compression = .nearLossless
            ($0.encoding.webP.usesSharpYUV, $0.encoding.webP.preset) = (true, .text)
        }
        try expect("avifo:off", "avif_options:on/avifo:off") { $0.encoding.avifChroma = .full }
    }

    @Test func `autoquality sets a target and its limits`() throws {
        try expect("aq:dssim", "autoquality:dssim:", "aq:size:100/aq:dssim") {
            $0.autoQuality.method = .dssim
        }
        try expect("aq:size:1000:10:90", "aq:size:1000/aq:::10:90") {
            ($0.autoQuality.method, $0.autoQuality.target) = (.size, 1000)
            ($0.autoQuality.least, $0.autoQuality.leastOfFormat) = (10, [:])
            ($0.autoQuality.most, $0.autoQuality.mostOfFormat) = (90, [:])
        }
        try expect("aq:ssim:0.9:::0.01") {
            ($0.autoQuality.method, $0.autoQuality.target) = (.ssim, 0.9)
            $0.autoQuality.allowedError = 0.01
        }
        let options = try Reading.options("aq:dssim:0.02").autoQuality
        #expect(options.qualities(of: .avif) == 0.6...0.65 && options.qualities(of: .jpeg) == 0.7...0.8)
        #expect(abs((options.ssim?.target ?? 0) - 0.96) < 1e-9)
    }

    @Test(arguments: ["jpeg", "png", "webp", "avif", "gif", "ico", "svg", "heic", "bmp", "tiff", "jxl"])
    func `format names formats`(name: String) throws {
        try expect("f:\(name)", "format:\(name)", "ext:\(name)") {
            $0.format = EncodedFormat(rawValue: name)
        }
        try expect("f:jpg") { $0.format = .jpeg }
    }

    @Test func `cachebuster, expires, filename and attachment describe the response`() throws {
        try expect("cb:abc-1", "cachebuster:abc-1") { $0.cachebuster = "abc-1" }
        try expect("exp:1800000000", "expires:1800000000") { $0.expires = 1_800_000_000 }
        try expect("exp:0", "exp:1800000000/exp:0") { _ in }
        try expect("fn:a.b", "filename:a.b:0", "fn:YS5i:1", "fn:YS5i:t") { $0.filename = "a.b" }
        try expect("fn:w7w=:1", "fn:w7w:1") { $0.filename = "ü" }
        try expect("att:1", "return_attachment:1") { $0.returnsAttachment = true }
    }

    @Test func `max_src_resolution and its kin set limits if that is allowed`() throws {
        var rules = URLRules()
        rules.allowsSecurityOptions = true
        let long =
            "max_src_resolution:1.5/max_src_file_size:2/max_animation_frames:3"
            + "/max_animation_frame_resolution:4/max_result_dimension:5"
        for text in ["msr:1.5/msfs:2/maf:3/mafr:4/mrd:5", long] {
            let wanted = SecurityLimits(
                maxSourceResolution: 1.5, maxSourceFileSize: 2, maxAnimationFrames: 3,
                maxAnimationFrameResolution: 4, maxResultDimension: 5)
            #expect(try Reading.options(text, rules: rules).limits == wanted)
            for option in text.split(separator: "/") {
                #expect(Reading.optionFailure(String(option)) == .forbiddenOption)
            }
        }
        #expect(URLFailure(.forbiddenOption, "").status == 403)
        #expect(URLFailure(.forbiddenOption, "").publicText == "Invalid URL")
    }

    @Test func `client hints set the DPR and the width unless the URL says more`() throws {
        let hints = ClientHints(dpr: "2", width: "301")
        let hinted = try Reading.options("", hints: hints)
        #expect(hinted.dpr == 2 && hinted.width == 151)
        #expect(try Reading.options("w:10", hints: hints).width == 10)
        #expect(try Reading.options("", hints: ClientHints(dpr: "8.5", width: "301")).width == 301)
        for text in ["0", "-1", "8.1", "nan", "inf", "", "x"] {
            #expect(try Reading.options("", hints: ClientHints(dpr: text)).dpr == 1)
        }
        for text in ["0", "-1", "1.5", "99999999999999999999", ""] {
            #expect(try Reading.options("", hints: ClientHints(width: text)).width == 0)
        }
    }
}
