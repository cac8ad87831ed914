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

/// A sanitizer for a test target; CONTRIBUTING.md gives the reason for each.
enum Sanitizer: String, CaseIterable {
    /// Data races: for code that shares state between threads.
    case thread
    /// Invalid memory accesses: for code that calls C or uses raw memory.
    case address
}

/// What `ALCEDOTESTS` selects, separated by commas: test targets, or those of a sanitizer; all by default.
let selection = Context.environment["ALCEDOTESTS"].map { $0.split(separator: ",").map(String.init) }

/// Pixel loops without optimisation are tens of times slower under a sanitizer; assertions stay enabled.
let loops: [SwiftSetting] =
    Sanitizer.allCases.contains { selection?.contains($0.rawValue) == true }
    ? [.unsafeFlags(["-O", "-assert-config", "Debug"])] : []

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

/// A target that decodes or processes pixels.
func pixels(_ name: String, _ dependencies: [Target.Dependency] = [], pages: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies, exclude: pages, swiftSettings: strict + loops)
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
    .linkedLibrary("openjp2", .when(traits: ["JP2"])),
]

func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Examples/\(name)", swiftSettings: strict)
}

func isSelected(_ name: String, _ sanitizers: [Sanitizer] = []) -> Bool {
    guard let selection else { return true }
    return selection.contains(name) || sanitizers.contains { selection.contains($0.rawValue) }
}

/// A test target, if it is selected.
func tests(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, without excluded: [String] = [],
    linked: [LinkerSetting] = [], under sanitizers: [Sanitizer] = []
) -> [Target] {
    guard isSelected(name, sanitizers) else { return [] }
    return [
        .testTarget(
            name: name,
            dependencies: dependencies + ["AlcedoTestSupport", "AlcedoLocks"],
            path: path,
            exclude: excluded,
            swiftSettings: strict,
            linkerSettings: linked
        )
    ]
}

/// The programs that decode in a sandbox: tests of what starts them need them beside the tests.
let workers: [Target.Dependency] = [
    "AlcedoDecode", "AlcedoDecodeHEIF", "AlcedoDecodeSVG", "AlcedoDecodeVideo",
]

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
        system("COpenJPEG", nil, apt: "libopenjp2-7-dev", brew: "openjpeg"),
        system("CFFmpeg", "libavformat", apt: "libavformat-dev libswscale-dev", brew: "ffmpeg"),
        system("CZlib", "zlib", apt: "zlib1g-dev", brew: "zlib"),
        system("CSeccomp", "libseccomp", apt: "libseccomp-dev", brew: "libseccomp"),
        system("CMemcached", "libmemcached", apt: "libmemcached-dev", brew: "libmemcached"),
        system("CMicroHTTPD", "libmicrohttpd", apt: "libmicrohttpd-dev", brew: "libmicrohttpd"),
        system("CGetopt", nil, apt: "libc6-dev", brew: "gettext"),
        system("CSpawn", nil, apt: "libc6-dev", brew: "gettext"),
        .target(name: "CJPEGShim", dependencies: ["CJPEG"]),
        .target(name: "CResampling"),
        .target(name: "CIsolation"),
        .target(
            name: "CRsvgShim",
            dependencies: [.target(name: "CCairo", condition: .when(traits: ["SVG"]))],
            cSettings: [.define("SVG", .when(traits: ["SVG"]))]
        ),

        // Layer 1: bitmaps, codec protocols, locks, and what tests wait with.
        pixels("AlcedoPixels", ["AlcedoLocks"]),
        swift("AlcedoLocks"),
        swift("AlcedoWaiting", ["AlcedoLocks"]),

        // Layer 2: independent stages.
        pixels(
            "AlcedoCodecs",
            [
                "AlcedoPixels", "AlcedoLocks", "CJPEGShim", "CSpng", "CDeflate", "CWebP", "CGif", "CLcms2",
            ],
            pages: ["JPEG/Reduced/README.md", "GIF/README.md"]
        ),
        pixels(
            "AlcedoRaster", ["AlcedoPixels", "AlcedoLocks", "CCairo", "CResampling"],
            pages: ["Resampling/README.md"]),
        swift("AlcedoTransport", ["AlcedoLocks", "CCurl", "CSSL"]),
        swift("AlcedoIsolation", ["AlcedoPixels", "AlcedoLocks", "CIsolation"]),
        pixels(
            "AlcedoHEIF",
            [
                "AlcedoPixels", "AlcedoCodecs", "AlcedoLocks",
                .target(name: "CHeif", condition: .when(traits: ["HEIF"])),
                .target(name: "CAvif", condition: .when(traits: ["HEIF"])),
            ]
        ),
        pixels(
            "AlcedoJXL",
            [
                "AlcedoPixels", "AlcedoCodecs",
                .target(name: "CJxl", condition: .when(traits: ["JXL"])),
            ]
        ),
        pixels(
            "AlcedoTIFF",
            [
                "AlcedoPixels", "AlcedoCodecs",
                .target(name: "CTiff", condition: .when(traits: ["TIFF"])),
            ]
        ),
        pixels(
            "AlcedoJP2",
            [
                "AlcedoPixels", "AlcedoCodecs",
                .target(name: "COpenJPEG", condition: .when(traits: ["JP2"])),
            ]
        ),
        pixels(
            "AlcedoSVG",
            [
                "AlcedoPixels", "AlcedoCodecs",
                .target(name: "CRsvgShim", condition: .when(traits: ["SVG"])),
                .target(name: "CZlib", condition: .when(traits: ["SVG"])),
            ]
        ),
        pixels(
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
                "AlcedoServer",
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

        // What tests need; the tests follow below.
        swift("AlcedoTestSupport", ["AlcedoPixels", "AlcedoLocks", "AlcedoWaiting", "CSSL", "CSpawn"]),
        pixels("AlcedoSamples", ["AlcedoPixels", "AlcedoCodecs", "AlcedoRaster", "AlcedoTestSupport"]),
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
            dependencies: ["AlcedoWorker", "AlcedoPixels", "AlcedoIsolation", "CIsolation", "CSeccomp"],
            path: "Tests/HostileWorker",
            swiftSettings: strict
        ),
        .target(name: "CDiskFaults", path: "Tests/CDiskFaults"),
        .executableTarget(
            name: "DiskTrials",
            dependencies: ["Alcedo", "AlcedoTestSupport", "CDiskFaults"],
            path: "Tests/DiskTrials",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "FleetTrials",
            dependencies: ["Alcedo", "AlcedoMemcached"],
            path: "Tests/FleetTrials",
            swiftSettings: strict
        ),
        program("SampleExtractor", []),
        .plugin(name: "CompileSamples", capability: .buildTool(), dependencies: ["SampleExtractor"]),
    ]
)

package.targets += [
    tests("AlcedoPixelsTests", ["AlcedoPixels"], under: [.address]),
    tests("AlcedoCodecsTests", ["AlcedoCodecs"], under: [.address]),
    tests(
        "AlcedoHEIFTests",
        [
            "AlcedoHEIF", .target(name: "CHeif", condition: .when(traits: ["HEIF"])),
            .target(name: "CAvif", condition: .when(traits: ["HEIF"])),
        ],
        linked: [
            .linkedLibrary("heif", .when(traits: ["HEIF"])),
            .linkedLibrary("avif", .when(traits: ["HEIF"])),
        ],
        under: [.address]
    ),
    tests("AlcedoJXLTests", ["AlcedoJXL"], under: [.address]),
    tests("AlcedoTIFFTests", ["AlcedoTIFF"], under: [.address]),
    tests("AlcedoJP2Tests", ["AlcedoJP2"], under: [.address]),
    tests("AlcedoSVGTests", ["AlcedoSVG"], under: [.address]),
    tests("AlcedoVideoTests", ["AlcedoVideo"], under: [.address]),
    tests("AlcedoRasterTests", ["AlcedoRaster"], under: [.address]),
    tests("FuzzTargetsTests", ["FuzzTargets"], under: [.address]),
    tests(
        "AlcedoIsolationTests",
        workers + [
            "AlcedoIsolation", "AlcedoCodecs", "HostileWorker", "SandboxTrials", "CIsolation",
            .target(name: "AlcedoHEIF", condition: .when(traits: ["HEIF"])),
            .target(name: "AlcedoJXL", condition: .when(traits: ["JXL"])),
            .target(name: "AlcedoTIFF", condition: .when(traits: ["TIFF"])),
            .target(name: "AlcedoJP2", condition: .when(traits: ["JP2"])),
            .target(name: "AlcedoSVG", condition: .when(traits: ["SVG"])),
            .target(name: "AlcedoVideo", condition: .when(traits: ["Video"])),
        ],
        under: [.address, .thread]
    ),
    tests("AlcedoTransportTests", ["AlcedoTransport", "NetworkTrials"], under: [.address, .thread]),
    tests(
        "AlcedoMemcachedTests", ["AlcedoMemcached", "Alcedo", "FleetTrials"], under: [.address, .thread]),
    tests("AlcedoHTTPServerTests", ["AlcedoHTTPServer"], under: [.address, .thread]),
    tests(
        "AlcedoServerTests",
        workers + ["AlcedoServer", "AlcedoHTTPServer", "Alcedo", "AlcedoPixels", "AlcedoMemcached"],
        under: [.thread]),
    tests("AlcedoAFTests", ["AlcedoAF", "AlcedoTesting"], under: [.thread]),
    tests(
        "AlcedoGTKTests", ["AlcedoGTK", .target(name: "CGtk4", condition: .when(traits: ["GTK"]))],
        under: [.address, .thread]),
    tests("AlcedoCLITests", workers + ["Alcedo", "AlcedoCLI", "CIsolation"]),
    tests("AlcedoTestingTests", ["AlcedoTesting"]),
    tests("AlcedoTestSupportTests", []),
    tests("AlcedoWaitingTests", []),
    tests(
        "ExampleTests",
        [
            "QuiteOKImage", "Farbfeld", "AsyncMain", "DispatchMain", "RunLoopMain", "GLibMain",
            "PictureWindow", "PictureGrid",
        ]
    ),
].flatMap(\.self)

/// The engine's tests: modules with folders of `Tests/AlcedoTests`, which mirrors `Sources/Alcedo`.
///
/// One module of 22,000 lines would compile on one core while the others are idle.
let engineModules: [(name: String, folders: [String], sanitizers: [Sanitizer])] = [
    ("AlcedoCacheTests", ["Cache", "SharedCache"], [.thread, .address]),
    ("AlcedoDownloadTests", ["Download", "HTTPCache", "Retry"], [.thread]),
    ("AlcedoImageTests", ["Animation", "Image", "Process"], [.thread, .address]),
    (
        "AlcedoLoadTests",
        [
            "Errors", "Events", "Freshness", "Interceptors", "Load", "Manager", "Prefetch", "Request",
            "Support",
        ],
        [.thread]
    ),
    ("AlcedoViewTests", ["Builder", "View"], [.thread]),
]

let engineTests = engineModules.flatMap { module in
    tests(
        module.name, workers + ["Alcedo", "AlcedoTesting", "EngineFixtures", "CXattr", "DiskTrials"],
        path: "Tests/AlcedoTests",
        without: engineModules.filter { $0.name != module.name }.flatMap(\.folders),
        under: module.sanitizers)
}

package.targets += engineTests
if !engineTests.isEmpty {
    // A test target because it imports the engine's internals, which a release build does not allow.
    package.targets.append(
        .testTarget(
            name: "EngineFixtures",
            dependencies: ["Alcedo", "AlcedoTesting", "AlcedoTestSupport", "AlcedoLocks"],
            swiftSettings: strict
        )
    )
}

package.targets += tests(
    "TimedTrials",
    workers + [
        "Alcedo", "AlcedoPixels", "AlcedoCodecs", "AlcedoIsolation", "AlcedoMemcached", "AlcedoHTTPServer",
        "AlcedoServer", "AlcedoCLI", "HostileWorker",
    ]
)

if isSelected("DocumentationTests") {
    // The documentation's samples, compiled with the tests.
    package.targets.append(
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "AlcedoTestSupport", "Alcedo", "AlcedoAF", "AlcedoGTK", "AlcedoTesting", "AlcedoMemcached",
                .target(name: "CGtk4", condition: .when(traits: ["GTK"])),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)],
            plugins: ["CompileSamples"]
        )
    )
}

if isSelected("ViewModelExample") {
    // As an app would declare it.
    package.targets.append(
        .testTarget(
            name: "ViewModelExample", dependencies: ["Alcedo", "AlcedoTesting"], path: "Examples/ViewModel",
            swiftSettings: strict))
}
