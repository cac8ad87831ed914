#if DEBUG
    import AlcedoTestSupport
    import FuzzTargets
    import Testing

    /// What libFuzzer has found is tried again, in `Tests/Fixtures/fuzz/<target>/`; a trap ends the run.
    struct `What fuzzing has found` {
        private static let found = FuzzTarget.all.flatMap { target in
            Fixture.list("fuzz/\(target.name)").map { (target.name, $0) }
        }

        @Test(arguments: found) func `inputs found by fuzzing don't trap`(name: String, path: String) throws {
            let target = try #require(FuzzTarget.all.first { $0.name == name })
            target.body(try Fixture.data(path))
        }

        @Test func `inputs found by fuzzing belong to a fuzz target`() {
            var folders = Fixture.list("fuzz").filter { !$0.hasSuffix(".md") }
            #if !Server
                folders.removeAll { $0 == "fuzz/server-urls" }
            #endif
            #if !SVG
                folders.removeAll { $0 == "fuzz/svg-document" }
            #endif
            #expect(!folders.isEmpty && Set(folders).isSubset(of: FuzzTarget.all.map { "fuzz/\($0.name)" }))
        }

        /// A body that is wrong about what is allowed would find fault with sound files.
        @Test(arguments: [
            ("jpeg", "made/progressive.jpg"), ("png", "made/animated-over.png"), ("gif", "gif/fire.gif"),
            ("webp", "made/animated.webp"), ("heif", "heif/still.heic"), ("avif", "heif/sequence.avif"),
            ("jxl", "jxl/animated.jxl"), ("svg", "svg/gradient.svg"), ("icc", "jpeg/test3.icc"),
            ("metadata", "jpeg/test3.icc"), ("jxl-structure", "jxl/animated.jxl"),
            ("jxl-structure", "jxl/container.jxl"), ("heif-boxes", "heif/still.heic"),
            ("heif-boxes", "heif/sequence-alpha.avif"),
            ("sniffer", "made/alpha.png"), ("cache", "made/alpha.png"), ("cookies", "README.md"),
            ("headers", "README.md"), ("urls", "README.md"), ("channel", "gif/solid2.gif"),
            ("server-urls", "README.md"), ("video", "video/h264.mp4"), ("video", "video/h264-sound.mkv"),
            ("video", "video/h264.ts"), ("video", "video/mpeg4.avi"), ("video", "video/theora.ogv"),
        ])
        func `sound files are no finding of a fuzz target`(name: String, path: String) throws {
            let bytes = try Fixture.data(path)
            let target = FuzzTarget.all.first { $0.name == name }
            target?.body(bytes)
            for first in 0..<4 as Range<UInt8> { target?.body([first] + bytes) }
        }
    }
#endif
