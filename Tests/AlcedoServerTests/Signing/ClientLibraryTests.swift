import AlcedoPixels
import Testing

@testable import AlcedoServer

/// Paths that client libraries for imgproxy made: of Python, imgproxy 1.0.0 and pyimgproxy 0.4.
struct `A client library's URL` {
    private func url(_ path: String) throws -> ImageURL {
        var rules = URLRules()
        rules.keys = SignedPath.long
        rules.allowsSecurityOptions = true
        return try Reading.url(path, rules: rules)
    }

    private let wide = ImageSource.http("https://example.com/a%20b@2x.jpg?v=1")
    private let simple = ImageSource.http("https://example.com/a.jpg")

    @Test func `a URL of imgproxy for Python is read`() throws {
        let fill = try url(
            "/7JF7aOPm4foDA_qIoGaRyYyoHx32na3cxXDGkj72xSQ/g:sm/rs:fill:300:200:1"
                + "/aHR0cHM6Ly9leGFtcGxlLmNvbS9hIGJAMnguanBnP3Y9MQ.webp")
        #expect(fill.source == wide && fill.options.gravity.isSmart && fill.options.enlarge)
        #expect(
            fill.options.resizingType == .fill && fill.options.width == 300 && fill.options.height == 200)
        #expect(fill.options.format == .webp)

        let focus = try url(
            "/Z7IPv6UEVM8LFZFFspO2dE4vm6u-FrCz8Nb7udbCISE/q:80/bl:2/g:fp:0.5:0.25/rs:auto:10:0:0"
                + "/aHR0cHM6Ly9leGFtcGxlLmNvbS_DvC8xMDAlMjUucG5n")
        #expect(focus.source == .http("https://example.com/%C3%BC/100%25.png"))
        #expect(focus.options.gravity == Gravity(.focusPoint, x: 0.5, y: 0.25) && focus.options.blur == 2)
        #expect(
            focus.options.resizingType == .auto && focus.options.width == 10
                && focus.options.quality == 80)
    }

    @Test func `a URL of pyimgproxy is read`() throws {
        let size = try url(
            "/pdEDSFZaMgVkDrLNMSmCNd24yjzZ2CS0KpjxxSMQDL0/resize:fill:300:200:True:False"
                + "/plain/https://example.com/a.jpg")
        #expect(size.source == simple && size.options.enlarge && !size.options.extend.isEnabled)

        let look = try url(
            "/STl2NnGLCgLWfn4SNCrLPbKEgtthjsNi193TwWk5cY4/crop:0.5:100:no:1:2/padding:1:2/background:ff0011"
                + "/dpr:1.5/zoom:2:3/rotate:90/plain/https://example.com/a.jpg")
        #expect(look.options.crop == Crop(width: 0.5, height: 100, gravity: Gravity(.north, x: 1, y: 2)))
        #expect(look.options.padding == Padding(top: 1, right: 2, bottom: 1, left: 2))
        #expect(look.options.rotation == 90 && look.options.zoomY == 3 && look.options.dpr == 1.5)

        let trim = try url(
            "/VSs4X5FzdJnZ_-nY1TgX03OtjRLaS1DcCVhGW4mVOgw/trim:10:ff0000:True:False/blur:1.5/sharpen:0.5"
                + "/pixelate:4/cachebuster:abc/return_attachment:True/strip_metadata:True"
                + "/aHR0cHM6Ly9leGFtcGxlLmNvbS9hIGJAMnguanBnP3Y9MQ")
        #expect(trim.source == wide && trim.options.trim?.equalHorizontally == true)
        #expect(trim.options.cachebuster == "abc" && trim.options.returnsAttachment)

        let limits = try url(
            "/ylTDfEtENmthsT-Hgylrl03DD6mSJyDDPl3o7ElDWK4/extend:True:no:1:2/extend_aspect_ratio:True"
                + "/max_src_resolution:50/max_animation_frames:5/min-width:10/raw:False/plain/local:///a/b.png"
        )
        #expect(
            limits.source == .local(path: "/a/b.png") && limits.options.limits.maxSourceResolution == 50)
        #expect(limits.options.extend == Extend(isEnabled: true, gravity: Gravity(.north, x: 1, y: 2)))
    }
}
