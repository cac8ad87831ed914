// swift-tools-version: 6.2
import PackageDescription

/// The settings of all Swift targets.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// A C library of the system, found with pkg-config; its module map is `Sources/System/<name>`.
func system(_ name: String, _ pkgConfig: String?, apt: String, brew: String) -> Target {
    .systemLibrary(
        name: name,
        path: "Sources/System/\(name)",
        pkgConfig: pkgConfig,
        providers: [.apt([apt]), .brew([brew])]
    )
}

func swift(_ name: String, _ dependencies: [Target.Dependency] = [], pages: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies, exclude: pages, swiftSettings: strict)
}

func program(
    _ name: String, _ dependencies: [Target.Dependency], linked: [LinkerSetting] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, swiftSettings: strict, linkerSettings: linked)
}

/// The libraries that Alcedo loads when an image needs them.
///
/// Helper programs link them instead.
let heavyLibraries: [LinkerSetting] = [
    .linkedLibrary("heif", .when(traits: ["HEIF"])), .linkedLibrary("avif", .when(traits: ["HEIF"])),
    .linkedLibrary("jxl", .when(traits: ["JXL"])), .linkedLibrary("tiff", .when(traits: ["TIFF"])),
]

func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Examples/\(name)", swiftSettings: strict)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], linked: [LinkerSetting] = []
) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies + ["AlcedoTestSupport", "AlcedoLocks"],
        swiftSettings: strict,
        linkerSettings: linked
    )
}

let package = Package(
    name: "Alcedo",
    products: [
        .library(name: "Alcedo", targets: ["Alcedo"]),
        .library(name: "AlcedoGTK", targets: ["AlcedoGTK"]),
        .library(name: "AlcedoAF", targets: ["AlcedoAF"]),
        .library(name: "AlcedoTesting", targets: ["AlcedoTesting"]),
        .library(name: "AlcedoMemcached", targets: ["AlcedoMemcached"]),
        .executable(name: "alcedo", targets: ["AlcedoCLI"]),
        .executable(name: "alcedo-decode", targets: ["AlcedoDecode"]),
        .executable(name: "alcedo-decode-heif", targets: ["AlcedoDecodeHEIF"]),
        .executable(name: "alcedo-decode-svg", targets: ["AlcedoDecodeSVG"]),
        .executable(name: "alcedo-decode-video", targets: ["AlcedoDecodeVideo"]),
    ],
    traits: [
        .trait(name: "GTK", description: "AlcedoGTK: images in GTK 4 programs."),
        .trait(name: "HEIF", description: "HEIC and AVIF, through libheif and libavif."),
        .trait(name: "JXL", description: "JPEG XL, through libjxl."),
        .trait(name: "TIFF", description: "TIFF, through libtiff."),
        .trait(name: "JP2", description: "JPEG 2000, through OpenJPEG."),
        .trait(name: "SVG", description: "SVG, through librsvg."),
        .trait(name: "Video", description: "Frames of videos, through FFmpeg's libraries."),
        .trait(
            name: "Memcached",
            description: "AlcedoMemcached: a cache that machines share, through libmemcached."),
        .trait(name: "Server", description: "alcedo serve: an image server, through libmicrohttpd."),
    ],
    targets: [
        // Layer 0: C libraries.
        system("CCurl", "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
        system("CJPEG", "libjpeg", apt: "libjpeg62-turbo-dev", brew: "jpeg-turbo"),
        system("CSpng", "spng", apt: "libspng-dev", brew: "libspng"),
        system("CDeflate", "libdeflate", apt: "libdeflate-dev", brew: "libdeflate"),
        system("CWebP", "libwebpdemux", apt: "libwebp-dev", brew: "webp"),
        system("CGif", nil, apt: "libgif-dev", brew: "giflib"),
        system("CCairo", "cairo", apt: "libcairo2-dev", brew: "cairo"),
        system("CLcms2", "lcms2", apt: "liblcms2-dev", brew: "little-cms2"),
        system("CCrypto", "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
        system("CSSL", "openssl", apt: "libssl-dev", brew: "openssl@3"),
        system("CXXHash", "libxxhash", apt: "libxxhash-dev", brew: "xxhash"),
        system("CXattr", nil, apt: "libc6-dev", brew: "gettext"),
        system("CEpoll", nil, apt: "libc6-dev", brew: "gettext"),
        system("CGtk4", "gtk4", apt: "libgtk-4-dev", brew: "gtk4"),
        system("CHeif", nil, apt: "libheif-dev", brew: "libheif"),
        system("CAvif", nil, apt: "libavif-dev", brew: "libavif"),
        system("CJxl", nil, apt: "libjxl-dev", brew: "jpeg-xl"),
        system("CTiff", nil, apt: "libtiff-dev", brew: "libtiff"),
        system("COpenJPEG", "libopenjp2", apt: "libopenjp2-7-dev", brew: "openjpeg"),
        system("CFFmpeg", "libavformat", apt: "libavformat-dev libswscale-dev", brew: "ffmpeg"),
        system("CZlib", "zlib", apt: "zlib1g-dev", brew: "zlib"),
        system("CSeccomp", "libseccomp", apt: "libseccomp-dev", brew: "libseccomp"),
        system("CMemcached", "libmemcached", apt: "libmemcached-dev", brew: "libmemcached"),
        system("CMicroHTTPD", "libmicrohttpd", apt: "libmicrohttpd-dev", brew: "libmicrohttpd"),
        system("CGetopt", nil, apt: "libc6-dev", brew: "gettext"),
        .target(name: "CJPEGShim", dependencies: ["CJPEG"]),
        .target(name: "CResampling"),
        .target(name: "CIsolation"),
        .target(
            name: "CRsvgShim",
            dependencies: [.target(name: "CCairo", condition: .when(traits: ["SVG"]))],
            cSettings: [.define("SVG", .when(traits: ["SVG"]))]
        ),

        // Layer 1: bitmaps, codec protocols, locks, and what tests wait with.
        swift("AlcedoPixels", ["AlcedoLocks"]),
        swift("AlcedoLocks"),
        swift("AlcedoWaiting", ["AlcedoLocks"]),

        // Layer 2: independent stages.
        swift(
            "AlcedoCodecs",
            [
                "AlcedoPixels", "AlcedoLocks", "CJPEGShim", "CSpng", "CDeflate", "CWebP", "CGif", "CLcms2",
            ],
            pages: ["JPEG/Reduced/README.md", "GIF/README.md"]
        ),
        swift(
            "AlcedoRaster", ["AlcedoPixels", "AlcedoLocks", "CCairo", "CResampling"],
            pages: ["Resampling/README.md"]),
        swift("AlcedoTransport", ["AlcedoLocks", "CCurl", "CSSL"]),
        swift("AlcedoIsolation", ["AlcedoPixels", "AlcedoLocks", "CIsolation"]),
        swift(
            "AlcedoHEIF",
            [
                "AlcedoPixels", "AlcedoCodecs", "AlcedoLocks",
                .target(name: "CHeif", condition: .when(traits: ["HEIF"])),
                .target(name: "CAvif", condition: .when(traits: ["HEIF"])),
            ]
        ),
        swift(
            "AlcedoJXL",
            [
                "AlcedoPixels", "AlcedoCodecs",
                .target(name: "CJxl", condition: .when(traits: ["JXL"])),
            ]
        ),
        swift(
            "AlcedoTIFF",
            [
                "AlcedoPixels", "AlcedoCodecs",
                .target(name: "CTiff", condition: .when(traits: ["TIFF"])),
            ]
        ),
        swift(
            "AlcedoJP2",
            [
                "AlcedoPixels", "AlcedoCodecs",
                .target(name: "COpenJPEG", condition: .when(traits: ["JP2"])),
            ]
        ),
        swift(
            "AlcedoSVG",
            [
                "AlcedoPixels", "AlcedoCodecs",
                .target(name: "CRsvgShim", condition: .when(traits: ["SVG"])),
                .target(name: "CZlib", condition: .when(traits: ["SVG"])),
            ]
        ),
        swift(
            "AlcedoVideo",
            [
                "AlcedoPixels", "AlcedoCodecs", "AlcedoRaster",
                .target(name: "CFFmpeg", condition: .when(traits: ["Video"])),
            ]
        ),

        // Layer 3: the public API and the engine behind it.
        swift(
            "Alcedo",
            [
                "AlcedoPixels", "AlcedoLocks", "AlcedoCodecs", "AlcedoRaster", "AlcedoTransport",
                "AlcedoIsolation",
                "CCrypto", "CEpoll", "CXXHash", "CXattr",
                .target(name: "AlcedoHEIF", condition: .when(traits: ["HEIF"])),
                .target(name: "AlcedoJXL", condition: .when(traits: ["JXL"])),
                .target(name: "AlcedoTIFF", condition: .when(traits: ["TIFF"])),
                .target(name: "AlcedoJP2", condition: .when(traits: ["JP2"])),
                .target(name: "AlcedoSVG", condition: .when(traits: ["SVG"])),
            ]
        ),

        // Layer 3: the programs that decode in a sandbox.
        swift("AlcedoWorker", ["AlcedoPixels", "AlcedoLocks", "AlcedoIsolation", "CIsolation", "CSeccomp"]),
        program("AlcedoDecode", ["AlcedoWorker", "AlcedoCodecs"]),
        program(
            "AlcedoDecodeHEIF",
            [
                "AlcedoWorker", "AlcedoPixels",
                .target(name: "AlcedoHEIF", condition: .when(traits: ["HEIF"])),
                .target(name: "AlcedoJXL", condition: .when(traits: ["JXL"])),
                .target(name: "AlcedoTIFF", condition: .when(traits: ["TIFF"])),
                .target(name: "AlcedoJP2", condition: .when(traits: ["JP2"])),
            ],
            linked: heavyLibraries
        ),
        program(
            "AlcedoDecodeSVG",
            [
                "AlcedoWorker", "AlcedoPixels",
                .target(name: "AlcedoSVG", condition: .when(traits: ["SVG"])),
            ],
            linked: [.linkedLibrary("rsvg-2", .when(traits: ["SVG"]))]
        ),
        program(
            "AlcedoDecodeVideo",
            [
                "AlcedoWorker",
                .target(name: "AlcedoVideo", condition: .when(traits: ["Video"])),
            ]
        ),

        // Layer 4: programs and toolkits.
        swift("AlcedoGTK", ["Alcedo", .target(name: "CGtk4", condition: .when(traits: ["GTK"]))]),
        swift("AlcedoAF", ["Alcedo", "AlcedoLocks", "AlcedoRaster", "AlcedoTransport"]),
        swift("AlcedoTesting", ["Alcedo", "AlcedoWaiting"]),
        swift(
            "AlcedoMemcached",
            [
                "Alcedo", "AlcedoLocks", "CCrypto",
                .target(name: "CMemcached", condition: .when(traits: ["Memcached"])),
            ]
        ),
        swift(
            "AlcedoHTTPServer",
            [
                "AlcedoLocks", "CEpoll",
                .target(name: "CMicroHTTPD", condition: .when(traits: ["Server"])),
            ]
        ),
        swift(
            "AlcedoServer",
            [
                "Alcedo", "AlcedoPixels", "AlcedoLocks", "AlcedoCodecs", "AlcedoRaster", "AlcedoTransport",
                "AlcedoHTTPServer", "CCrypto",
                .target(name: "AlcedoMemcached", condition: .when(traits: ["Memcached"])),
            ]
        ),
        swift("AlcedoConsole", ["AlcedoLocks"]),
        program(
            "AlcedoCLI",
            [
                "Alcedo", "AlcedoCodecs", "AlcedoConsole", "AlcedoLocks", "CGetopt",
                .target(name: "AlcedoServer", condition: .when(traits: ["Server"])),
            ]
        ),
        program(
            "AlcedoDemo", ["Alcedo", "AlcedoConsole", "AlcedoLocks", "AlcedoSamples", "AlcedoTestSupport"]),
        program("AlcedoDocsImages", ["Alcedo", "AlcedoRaster", "AlcedoSamples", "AlcedoTestSupport"]),

        // Code that reads untrusted bytes, for libFuzzer and for the tests; `make fuzz` builds it with -DFUZZ.
        swift(
            "FuzzTargets",
            [
                "Alcedo", "AlcedoPixels", "AlcedoCodecs", "AlcedoTransport", "AlcedoIsolation",
                "AlcedoWorker",
                .target(name: "AlcedoHEIF", condition: .when(traits: ["HEIF"])),
                .target(name: "AlcedoJXL", condition: .when(traits: ["JXL"])),
                .target(name: "AlcedoTIFF", condition: .when(traits: ["TIFF"])),
                .target(name: "AlcedoJP2", condition: .when(traits: ["JP2"])),
                .target(name: "AlcedoSVG", condition: .when(traits: ["SVG"])),
                .target(name: "AlcedoVideo", condition: .when(traits: ["Video"])),
                .target(name: "AlcedoServer", condition: .when(traits: ["Server"])),
            ]
        ),
        program("AlcedoFuzz", ["FuzzTargets", "AlcedoLocks"]),

        // Example programs.
        .target(
            name: "QuiteOKImage",
            dependencies: ["Alcedo"],
            path: "Examples/QuiteOKImage",
            swiftSettings: strict
        ),
        .target(
            name: "Farbfeld",
            dependencies: ["Alcedo"],
            path: "Examples/Farbfeld",
            swiftSettings: strict
        ),
        example("AsyncMain", ["Alcedo"]),
        example("DispatchMain", ["Alcedo"]),
        example("RunLoopMain", ["Alcedo"]),
        example("GLibMain", ["AlcedoGTK", .target(name: "CGtk4", condition: .when(traits: ["GTK"]))]),
        example("PictureWindow", ["AlcedoGTK"]),
        example("PictureGrid", ["AlcedoGTK", .target(name: "CGtk4", condition: .when(traits: ["GTK"]))]),
        example(
            "Gallery",
            [
                "Alcedo", "AlcedoGTK", "AlcedoCodecs", "AlcedoSamples", "AlcedoTestSupport",
                .target(name: "CGtk4", condition: .when(traits: ["GTK"])),
            ]
        ),

        // Tests and their support targets.
        swift("AlcedoTestSupport", ["AlcedoPixels", "AlcedoLocks", "AlcedoWaiting", "CSSL"]),
        swift("AlcedoSamples", ["AlcedoPixels", "AlcedoCodecs", "AlcedoRaster", "AlcedoTestSupport"]),
        tests("AlcedoPixelsTests", ["AlcedoPixels"]),
        tests("AlcedoCodecsTests", ["AlcedoCodecs"]),
        tests(
            "AlcedoHEIFTests",
            [
                "AlcedoHEIF", .target(name: "CHeif", condition: .when(traits: ["HEIF"])),
                .target(name: "CAvif", condition: .when(traits: ["HEIF"])),
            ],
            linked: [
                .linkedLibrary("heif", .when(traits: ["HEIF"])),
                .linkedLibrary("avif", .when(traits: ["HEIF"])),
            ]
        ),
        tests("AlcedoJXLTests", ["AlcedoJXL"]),
        tests("AlcedoTIFFTests", ["AlcedoTIFF"]),
        tests("AlcedoJP2Tests", ["AlcedoJP2"]),
        tests("AlcedoSVGTests", ["AlcedoSVG"]),
        tests("AlcedoVideoTests", ["AlcedoVideo"]),
        tests("AlcedoRasterTests", ["AlcedoRaster"]),
        .executableTarget(
            name: "NetworkTrials",
            dependencies: ["AlcedoTransport", "AlcedoLocks"],
            path: "Tests/NetworkTrials",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "SandboxTrials",
            dependencies: ["Alcedo"],
            path: "Tests/SandboxTrials",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "ObserverTrials",
            dependencies: ["Alcedo", "AlcedoTestSupport"],
            path: "Tests/ObserverTrials",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "HostileWorker",
            dependencies: ["AlcedoWorker", "AlcedoPixels", "AlcedoIsolation", "CIsolation"],
            path: "Tests/HostileWorker",
            swiftSettings: strict
        ),
        tests(
            "AlcedoIsolationTests",
            [
                "AlcedoIsolation", "AlcedoCodecs", "AlcedoDecode", "AlcedoDecodeHEIF", "AlcedoDecodeSVG",
                "AlcedoDecodeVideo",
                "HostileWorker", "CIsolation",
                .target(name: "AlcedoHEIF", condition: .when(traits: ["HEIF"])),
                .target(name: "AlcedoJXL", condition: .when(traits: ["JXL"])),
                .target(name: "AlcedoTIFF", condition: .when(traits: ["TIFF"])),
                .target(name: "AlcedoJP2", condition: .when(traits: ["JP2"])),
                .target(name: "AlcedoSVG", condition: .when(traits: ["SVG"])),
                .target(name: "AlcedoVideo", condition: .when(traits: ["Video"])),
            ]
        ),
        tests("AlcedoTransportTests", ["AlcedoTransport", "NetworkTrials"]),
        .target(name: "CDiskFaults", path: "Tests/CDiskFaults"),
        .executableTarget(
            name: "DiskTrials",
            dependencies: ["Alcedo", "AlcedoTestSupport", "CDiskFaults"],
            path: "Tests/DiskTrials",
            swiftSettings: strict
        ),
        tests("AlcedoTests", ["Alcedo", "CXattr", "DiskTrials", "AlcedoTesting"]),
        .executableTarget(
            name: "FleetTrials",
            dependencies: ["Alcedo", "AlcedoMemcached"],
            path: "Tests/FleetTrials",
            swiftSettings: strict
        ),
        tests("AlcedoMemcachedTests", ["AlcedoMemcached", "Alcedo", "FleetTrials"]),
        tests("AlcedoHTTPServerTests", ["AlcedoHTTPServer"]),
        tests(
            "AlcedoServerTests",
            ["AlcedoServer", "AlcedoHTTPServer", "Alcedo", "AlcedoPixels", "AlcedoMemcached"]),
        tests("AlcedoCLITests", ["Alcedo", "AlcedoCLI", "CIsolation"]),
        tests(
            "AlcedoGTKTests",
            ["AlcedoGTK", .target(name: "CGtk4", condition: .when(traits: ["GTK"]))]
        ),
        tests("AlcedoAFTests", ["AlcedoAF", "AlcedoTesting"]),
        .testTarget(
            name: "ViewModelExample", dependencies: ["Alcedo", "AlcedoTesting"], path: "Examples/ViewModel",
            swiftSettings: strict),
        tests(
            "ExampleTests",
            [
                "QuiteOKImage", "Farbfeld", "AsyncMain", "DispatchMain", "RunLoopMain", "GLibMain",
                "PictureWindow", "PictureGrid",
            ]
        ),
        tests("AlcedoTestSupportTests", []),
        tests("AlcedoWaitingTests", []),
        tests("AlcedoTestingTests", ["AlcedoTesting"]),
        tests("FuzzTargetsTests", ["FuzzTargets"]),

        // The documentation's samples, compiled with the tests.
        program("SampleExtractor", []),
        .plugin(name: "CompileSamples", capability: .buildTool(), dependencies: ["SampleExtractor"]),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "AlcedoTestSupport", "Alcedo", "AlcedoAF", "AlcedoGTK", "AlcedoTesting", "AlcedoMemcached",
                .target(name: "CGtk4", condition: .when(traits: ["GTK"])),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)],
            plugins: ["CompileSamples"]
        ),
    ]
)
