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

/// The traits that add a format; `scripts/traits.sh` reads both lists for the other scripts.
let formats = [
    (trait: "HEIF", description: "HEIC and AVIF, through libheif and libavif."),
    (trait: "JXL", description: "JPEG XL, through libjxl."),
    (trait: "TIFF", description: "TIFF, through libtiff."),
    (trait: "JP2", description: "JPEG 2000, through OpenJPEG."),
    (trait: "SVG", description: "SVG, through librsvg."),
    (trait: "Video", description: "Frames of videos, through FFmpeg's libraries."),
]

/// The other traits.
let parts = [
    (trait: "GTK", description: "AlcedoGTK: images in GTK 4 programs."),
    (trait: "Memcached", description: "AlcedoMemcached: a cache that machines share, through libmemcached."),
    (trait: "Server", description: "alcedo serve: an image server, through libmicrohttpd."),
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

/// Whether pixel loops are optimised: under a sanitizer they are tens of times slower otherwise, and CI has no minutes to spare.
let optimizesLoops =
    Context.environment["CI"] != nil
    || Sanitizer.allCases.contains { selection?.contains($0.rawValue) == true }

/// Assertions stay enabled.
let loops: [SwiftSetting] = optimizesLoops ? [.unsafeFlags(["-O", "-assert-config", "Debug"])] : []

/// A C library of the system, found with pkg-config; its module map is `Sources/System/<name>`.
func system(_ name: String, _ pkgConfig: String?, apt: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

extension Target.Dependency {
    /// A target that a trait needs.
    static func of(_ name: String, _ trait: String) -> Target.Dependency {
        .target(name: name, condition: .when(traits: [trait]))
    }
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

/// A program that tests start.
func trial(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: strict)
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
    traits: Set((formats + parts).map { .trait(name: $0.trait, description: $0.description) }),
    targets: [
        // Layer 0: C libraries.
        system("CCurl", "libcurl", apt: "libcurl4-openssl-dev"),
        system("CJPEG", "libjpeg", apt: "libjpeg62-turbo-dev"),
        system("CSpng", "spng", apt: "libspng-dev"),
        system("CDeflate", "libdeflate", apt: "libdeflate-dev"),
        system("CWebP", "libwebpdemux", apt: "libwebp-dev"),
        system("CGif", nil, apt: "libgif-dev"),
        system("CCairo", "cairo", apt: "libcairo2-dev"),
        system("CLcms2", "lcms2", apt: "liblcms2-dev"),
        system("CCrypto", "libcrypto", apt: "libssl-dev"),
        system("CSSL", "openssl", apt: "libssl-dev"),
        system("CXXHash", "libxxhash", apt: "libxxhash-dev"),
        system("CXattr", nil, apt: "libc6-dev"),
        system("CEpoll", nil, apt: "libc6-dev"),
        system("CMalloc", nil, apt: "libc6-dev"),
        system("CGtk4", "gtk4", apt: "libgtk-4-dev"),
        system("CHeif", nil, apt: "libheif-dev"),
        system("CAvif", nil, apt: "libavif-dev"),
        system("CJxl", nil, apt: "libjxl-dev"),
        system("CTiff", nil, apt: "libtiff-dev"),
        system("COpenJPEG", nil, apt: "libopenjp2-7-dev"),
        system("CFFmpeg", "libavformat", apt: "libavformat-dev libswscale-dev"),
        // libspng depends on it, so it is there without a trait.
        system("CZlib", "zlib", apt: "zlib1g-dev"),
        system("CSeccomp", "libseccomp", apt: "libseccomp-dev"),
        system("CMemcached", "libmemcached", apt: "libmemcached-dev"),
        system("CMicroHTTPD", "libmicrohttpd", apt: "libmicrohttpd-dev"),
        system("CGetopt", nil, apt: "libc6-dev"),
        system("CSpawn", nil, apt: "libc6-dev"),
        .target(name: "CJPEGShim", dependencies: ["CJPEG"]),
        .target(name: "CResampling"),
        .target(name: "CIsolation"),
        .target(name: "CRsvgShim", dependencies: ["CCairo"]),

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
        swift(
            "AlcedoCaches",
            ["AlcedoPixels", "AlcedoLocks", "AlcedoTransport", "CCrypto", "CXXHash", "CXattr"]),
        swift("AlcedoIsolation", ["AlcedoPixels", "AlcedoLocks", "CIsolation"]),
        pixels(
            "AlcedoHEIF",
            ["AlcedoPixels", "AlcedoCodecs", "AlcedoLocks", .of("CHeif", "HEIF"), .of("CAvif", "HEIF")]),
        pixels("AlcedoJXL", ["AlcedoPixels", "AlcedoCodecs", .of("CJxl", "JXL")]),
        pixels("AlcedoTIFF", ["AlcedoPixels", "AlcedoCodecs", .of("CTiff", "TIFF")]),
        pixels("AlcedoJP2", ["AlcedoPixels", "AlcedoCodecs", .of("COpenJPEG", "JP2")]),
        pixels("AlcedoSVG", ["AlcedoPixels", "AlcedoCodecs", "CRsvgShim", "CZlib"]),
        pixels("AlcedoVideo", ["AlcedoPixels", "AlcedoCodecs", "AlcedoRaster", .of("CFFmpeg", "Video")]),

        // Layer 3: the public API and the engine behind it.
        swift(
            "Alcedo",
            [
                "AlcedoPixels", "AlcedoLocks", "AlcedoCodecs", "AlcedoRaster", "AlcedoTransport",
                "AlcedoCaches", "AlcedoIsolation", "CEpoll", "CXXHash", .of("AlcedoHEIF", "HEIF"),
                .of("AlcedoJXL", "JXL"), .of("AlcedoTIFF", "TIFF"), .of("AlcedoJP2", "JP2"),
                .of("AlcedoSVG", "SVG"),
            ]
        ),

        // Layer 3: the programs that decode in a sandbox.
        swift("AlcedoWorker", ["AlcedoPixels", "AlcedoLocks", "AlcedoIsolation", "CIsolation", "CSeccomp"]),
        program("AlcedoDecode", ["AlcedoWorker", "AlcedoCodecs"]),
        program(
            "AlcedoDecodeHEIF",
            [
                "AlcedoWorker", "AlcedoPixels", .of("AlcedoHEIF", "HEIF"), .of("AlcedoJXL", "JXL"),
                .of("AlcedoTIFF", "TIFF"), .of("AlcedoJP2", "JP2"),
            ],
            linked: heavyLibraries
        ),
        program(
            "AlcedoDecodeSVG",
            [
                "AlcedoWorker", "AlcedoPixels", .of("AlcedoSVG", "SVG"),
            ],
            linked: [.linkedLibrary("rsvg-2", .when(traits: ["SVG"]))]
        ),
        program("AlcedoDecodeVideo", ["AlcedoWorker", .of("AlcedoVideo", "Video")]),

        // Layer 4: programs and toolkits.
        swift("AlcedoGTK", ["Alcedo", "AlcedoLocks", .of("CGtk4", "GTK")]),
        swift("AlcedoAF", ["Alcedo", "AlcedoLocks", "AlcedoRaster", "AlcedoTransport"]),
        swift("AlcedoTesting", ["Alcedo", "AlcedoWaiting"]),
        swift("AlcedoMemcached", ["Alcedo", "AlcedoLocks", "CCrypto", .of("CMemcached", "Memcached")]),
        swift("AlcedoHTTPServer", ["AlcedoLocks", "CEpoll", .of("CMicroHTTPD", "Server")]),
        swift(
            "AlcedoServer",
            [
                "Alcedo", "AlcedoPixels", "AlcedoLocks", "AlcedoCaches", "AlcedoCodecs", "AlcedoRaster",
                "AlcedoTransport", "AlcedoHTTPServer", "CCrypto", "CMalloc",
                .of("AlcedoMemcached", "Memcached"),
            ]
        ),
        swift("AlcedoConsole", ["AlcedoLocks"]),
        program(
            "AlcedoCLI",
            [
                "Alcedo", "AlcedoCodecs", "AlcedoConsole", "AlcedoLocks", "CGetopt", "CMalloc",
                "AlcedoServer",
            ]),
        program(
            "AlcedoDemo", ["Alcedo", "AlcedoConsole", "AlcedoLocks", "AlcedoSamples", "AlcedoTestSupport"]),
        program("AlcedoDocsImages", ["Alcedo", "AlcedoRaster", "AlcedoSamples", "AlcedoTestSupport"]),

        // Code that reads untrusted bytes, for libFuzzer and for the tests; `make fuzz` builds it with -DFUZZ.
        swift(
            "FuzzTargets",
            [
                "Alcedo", "AlcedoPixels", "AlcedoCaches", "AlcedoCodecs", "AlcedoTransport",
                "AlcedoIsolation", "AlcedoWorker", .of("AlcedoHEIF", "HEIF"), .of("AlcedoJXL", "JXL"),
                .of("AlcedoTIFF", "TIFF"), .of("AlcedoJP2", "JP2"), .of("AlcedoSVG", "SVG"),
                .of("AlcedoVideo", "Video"), .of("AlcedoServer", "Server"),
            ]
        ),
        program("AlcedoFuzz", ["FuzzTargets", "AlcedoLocks"]),

        // Example programs.
        .target(
            name: "QuiteOKImage", dependencies: ["Alcedo"], path: "Examples/QuiteOKImage",
            swiftSettings: strict),
        .target(name: "Farbfeld", dependencies: ["Alcedo"], path: "Examples/Farbfeld", swiftSettings: strict),
        example("AsyncMain", ["Alcedo"]),
        example("DispatchMain", ["Alcedo"]),
        example("RunLoopMain", ["Alcedo"]),
        example("GLibMain", ["AlcedoGTK", .of("CGtk4", "GTK")]),
        example("PictureWindow", ["AlcedoGTK"]),
        example("PictureGrid", ["AlcedoGTK", .of("CGtk4", "GTK")]),
        example("AvatarList", ["AlcedoGTK", .of("CGtk4", "GTK")]),
        example("PictureServer", ["Alcedo"]),
        example("Thumbnails", ["Alcedo"]),
        .target(
            name: "ExampleWidgets", dependencies: ["AlcedoGTK", .of("CGtk4", "GTK")],
            path: "Examples/Widgets", swiftSettings: strict),
        example("Viewer", ["Alcedo", "AlcedoGTK", "ExampleWidgets", .of("CGtk4", "GTK")]),
        example(
            "Gallery",
            [
                "Alcedo", "AlcedoGTK", "AlcedoCodecs", "AlcedoRaster", "AlcedoSamples",
                "AlcedoTestSupport", "ExampleWidgets", .of("CGtk4", "GTK"),
            ]
        ),

        // What tests need; the tests follow below.
        swift("AlcedoTestSupport", ["AlcedoPixels", "AlcedoLocks", "AlcedoWaiting", "CSSL", "CSpawn"]),
        pixels("AlcedoSamples", ["AlcedoPixels", "AlcedoCodecs", "AlcedoRaster", "AlcedoTestSupport"]),
        trial("NetworkTrials", ["AlcedoTransport", "AlcedoLocks"]),
        trial("SandboxTrials", ["Alcedo"]),
        trial("ObserverTrials", ["Alcedo", "AlcedoTestSupport"]),
        trial(
            "HostileWorker", ["AlcedoWorker", "AlcedoPixels", "AlcedoIsolation", "CIsolation", "CSeccomp"]),
        .target(name: "CFaults", path: "Tests/CFaults"),
        trial("DiskTrials", ["Alcedo", "AlcedoTestSupport", "AlcedoLocks", "CFaults"]),
        trial(
            "HangTrials",
            [
                "Alcedo", "AlcedoGTK", "AlcedoTestSupport", "AlcedoWaiting", "AlcedoLocks", "CFaults",
                .of("CGtk4", "GTK"),
            ]),
        trial("FleetTrials", ["Alcedo", "AlcedoMemcached"]),
        program("SampleExtractor", []),
        .plugin(name: "CompileSamples", capability: .buildTool(), dependencies: ["SampleExtractor"]),
    ]
)

package.targets += [
    tests("AlcedoPixelsTests", ["AlcedoPixels"], under: [.address]),
    tests("AlcedoCodecsTests", ["AlcedoCodecs", "AlcedoRaster"], under: [.address]),
    tests(
        "AlcedoHEIFTests",
        [
            "AlcedoHEIF", .of("CHeif", "HEIF"), .of("CAvif", "HEIF"),
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
            .of("AlcedoHEIF", "HEIF"), .of("AlcedoJXL", "JXL"), .of("AlcedoTIFF", "TIFF"),
            .of("AlcedoJP2", "JP2"), .of("AlcedoSVG", "SVG"), .of("AlcedoVideo", "Video"),
        ],
        under: [.address, .thread]
    ),
    tests("AlcedoTransportTests", ["AlcedoTransport", "NetworkTrials"], under: [.address, .thread]),
    tests(
        "AlcedoMemcachedTests", ["AlcedoMemcached", "Alcedo", "AlcedoCaches", "FleetTrials"],
        under: [.address, .thread]),
    tests("AlcedoHTTPServerTests", ["AlcedoHTTPServer"], under: [.address, .thread]),
    tests(
        "AlcedoServerTests",
        workers + [
            "AlcedoServer", "AlcedoHTTPServer", "Alcedo", "AlcedoCaches", "AlcedoPixels", "AlcedoMemcached",
            "CMalloc",
        ],
        under: [.thread]),
    tests("AlcedoAFTests", ["AlcedoAF", "AlcedoTesting"], under: [.thread]),
    tests(
        "AlcedoGTKTests", ["AlcedoGTK", .of("CGtk4", "GTK")],
        under: [.address, .thread]),
    tests("AlcedoCLITests", workers + ["Alcedo", "AlcedoCLI", "CIsolation"]),
    tests("AlcedoTestingTests", ["AlcedoTesting"]),
    tests("AlcedoTestSupportTests", []),
    tests("AlcedoWaitingTests", []),
    tests(
        "ExampleTests",
        [
            "QuiteOKImage", "Farbfeld", "AsyncMain", "DispatchMain", "RunLoopMain", "GLibMain",
            "PictureWindow", "PictureGrid", "AvatarList", "PictureServer", "Thumbnails",
            "Viewer", "Gallery", "ExampleWidgets", "AlcedoGTK", .of("CGtk4", "GTK"),
        ]
    ),
].flatMap(\.self)

/// The engine's tests: modules with folders of `Tests/AlcedoTests`, which mirrors `Sources/Alcedo`.
///
/// One module of 22,000 lines would compile on one core while the others are idle.
let engineModules: [(name: String, folders: [String], sanitizers: [Sanitizer])] = [
    ("AlcedoCacheTests", ["Cache", "HTTPCache", "SharedCache"], [.thread, .address]),
    ("AlcedoDownloadTests", ["Download", "Retry"], [.thread]),
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
        module.name,
        workers + [
            "Alcedo", "AlcedoCaches", "AlcedoTesting", "EngineFixtures", "CXattr", "DiskTrials", "HangTrials",
        ],
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
            dependencies: ["Alcedo", "AlcedoCaches", "AlcedoTesting", "AlcedoTestSupport", "AlcedoLocks"],
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
                "AlcedoTestSupport", "Alcedo", "AlcedoCaches", "AlcedoAF", "AlcedoGTK", "AlcedoTesting",
                "AlcedoMemcached", .of("CGtk4", "GTK"),
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
