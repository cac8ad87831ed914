import Testing

@testable import AlcedoServer

struct `A bad option` {
    private static let wrong = [
        // Numbers.
        "w:", "w:-1", "w:1.5", "w:a", "w: 1", "w:1 ", "w:99999999999999999999", "w:0x10", "w:1e3",
        "w:1_000", "w:١",
        "h:", "mw:", "mh:-1", "z:", "z:0", "z:-1", "z:nan", "z:inf", "z:1:", "z:1:0", "z:1e999", "dpr:",
        "dpr:0",
        "dpr:-1", "dpr:nan", "dpr:infinity", "dpr:1e999", "dpr:-0", "dpr:1,5", "bl:", "bl:-1", "bl:nan",
        "sh:", "sh:-1",
        "pix:", "pix:-1", "pix:1.5", "q:", "q:-1", "q:101", "q:1.5", "mb:", "mb:-1", "exp:", "exp:x",
        "exp:-1",
        "pd:-1", "pd:1.5", "pd:1:x", "rot:", "rot:45", "rot:x", "rot:91", "c:", "c:-1", "c::5", "c:5:",
        "c:nan",
        // Arguments in excess.
        "w:1:1", "h:1:", "mw:1:1", "z:1:1:1", "dpr:1:1", "el:1:1", "ar:1:1", "rt:fit:1",
        "rs:fit:1:1:1:1:ce:1:1:1",
        "s:1:1:1:1:ce:1:1:1", "ex:1:ce:1:1:1", "exar:1:ce:1:1:1", "g:ce:1:1:1", "g:sm:1",
        "g:fp:0.5:0.5:1",
        "c:1:1:ce:1:1:1", "t:1:fff:1:1:1", "pd:1:1:1:1:1", "rot:90:1", "fl:1:1:1", "bg:1:1:1:1", "bg:1:1",
        "bl:1:1",
        "sh:1:1", "pix:1:1", "wm:1:ce:1:1:1:1:1:1", "sm:1:1", "kcr:1:1", "scp:1:1", "ph:1:1", "eth:1:1",
        "q:1:1", "mb:1:1",
        "f:png:1", "raw:1:1", "cb:a:b", "exp:1900000000:1", "fn:a:1:1", "att:1:1",
        // Words.
        "rt:", "rt:FIT", "rt:crop", "rs:fill_down", "rs:x:1:1", "g:", "g:x", "g:CE", "g:n", "g:obj",
        "g:objw:face:1",
        "g:obj:face", "ex:1:sm", "exar:1:sm", "rs:fit:1:1:0:1:sm", "rs:fit:1:1:0:1::x", "ex:1:", "c:1:1:",
        "c:1:1:obj",
        "g:ce:x", "g:ce:nan",
        "g:ce:1:inf", "g:fp", "g:fp:0.5", "g:fp::0.5", "g:fp:0.5:", "g:fp:1.1:0", "g:fp:-0.1:0",
        "g:fp:nan:0",
        "c:1:1:fp:2:0", "t:x", "t:-1", "t:nan", "t:1:ff", "t:1:gggggg", "t:1:ff00ff00", "bg:f", "bg:ffff",
        "bg:ggg",
        "bg:256:0:0", "bg:-1:0:0", "bg:1::1", "bg:#fff",
        // Watermarks.
        "wm:", "wm:-0.1", "wm:1.1", "wm:nan", "wm:1:ch", "wm:1:sm", "wm:1:fp", "wm:1:x", "wm:1:ce:x",
        "wm:1:ce:0:inf",
        "wm:1:ce:0:0:0", "wm:1:ce:0:0:-1", "wm:1:re:x",
        // Encoders.
        "aq:ml", "aq:size", "aq:size:0", "aq:dssim:2", "aq:dssim:x", "aq:dssim:0.1:0", "aq:dssim:0.1:1:101",
        "aq:dssim:0.1:1:9:2", "aq:dssim:0.1:1:9:0:0", "aq:size:100/aq:dssim:100", "jpgo:1:1:1:1:1:9",
        "jpgo:1:1:1:1:1:1:1", "pngo:1:1:1", "pngo:1:1:257", "pngo:1:1:2:1", "webpo:x", "webpo:lossy:1:x",
        "webpo:lossy:1:text:1", "avifo:x", "avifo:on:1",
        // Formats and texts.
        "f:", "f:best", "f:pdf", "f:mp4", "f:PNG", "f:tif", "f:heif", "f:jp2", "fq:", "fq:jpg", "fq:jpg:",
        "fq:jpg:101",
        "fq:jpg:10:png", "fq:x:10", "skp:", "skp:x", "skp:jpg:", "cb:", "fn:", "fn:::", "fn:%%%:1",
        "fn:_w:1", "pr:", "pr:x",
    ]

    @Test(arguments: wrong) func `a bad option is an invalid URL`(text: String) {
        #expect(Reading.optionFailure(text) == .invalidURL)
        #expect(Reading.optionFailure("w:1/\(text)/h:1") == .invalidURL)
    }

    @Test(arguments: [
        "a", "adjust", "br", "brightness", "co", "contrast", "sa", "saturation", "mc", "monochrome", "dt",
        "duotone",
        "gr", "gradient", "ba", "blur_areas", "bd", "blur_detections", "dd", "draw_detections", "ush",
        "unsharp_masking", "pg", "page", "pgs", "pages", "da", "disable_animation",
        "vtk", "vtt", "wmt", "watermark_text", "wmu", "watermark_url", "wmsh", "wms", "wmr", "jxlo",
        "dpi", "cp", "color_profile",
        "hs", "hashsum",
        "st", "style", "ra", "resizing_algorithm", "bga", "background_alpha", "fiu", "fallback_image_url",
        "col", "clip",
        "W", "Rs", "", " ", "w ", "ŵ", "unknown",
    ])
    func `an option of Pro or of nobody is an invalid URL`(name: String) {
        #expect(Reading.optionFailure("\(name):1") == .invalidURL)
    }

    @Test func `a bad option is named in the error`() {
        do throws(URLFailure) {
            _ = try Reading.options("w:10/q:101")
            Issue.record("accepted")
        } catch {
            #expect(error.reason.contains("“q”") && error.reason.contains("101"))
            #expect(error.status == 404 && error.publicText == "Invalid URL")
        }
    }

    @Test(arguments: [
        ("w:x", "“x” is not an integer from 0 on"), ("q:x", "“x” is not an integer from 0 to 100"),
        ("dpr:0", "“0” is not a number above 0"), ("bl:-1", "“-1” is not a number from 0 on"),
        ("wm:2", "“2” is not a number from 0.0 to 1.0"), ("g:ce:x", "“x” is not a number"),
    ])
    func `a bad option's error says what is allowed`(text: String, reason: String) {
        let failure = #expect(throws: URLFailure.self) { try Reading.options(text) }
        #expect(failure?.reason.hasSuffix(reason) == true)
    }

    @Test func `a URL whose expiry is in the past is invalid`() {
        #expect(Reading.optionFailure("exp:1799999999") == .invalidURL)
        #expect(Reading.optionFailure("exp:1800000000") == nil)
    }
}
