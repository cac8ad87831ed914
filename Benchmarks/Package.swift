// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Benchmarks",
    products: [.library(name: "Unverified", type: .dynamic, targets: ["Unverified"])],
    dependencies: [.package(name: "Alcedo", path: "..")],
    targets: [
        // The measuring code of all Swift contenders.
        .target(
            name: "Harness", dependencies: [.product(name: "Alcedo", package: "Alcedo")],
            swiftSettings: strict),

        // Contenders; each measurement is a process of its own.
        .executableTarget(
            name: "AlcedoBench",
            dependencies: ["Harness", .product(name: "Alcedo", package: "Alcedo")],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "FoundationBench",
            dependencies: ["Harness", .product(name: "Alcedo", package: "Alcedo")],
            swiftSettings: strict
        ),
        .target(name: "Unverified", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(
            name: "FloorBench",
            linkerSettings: ["curl", "jpeg", "spng", "webp", "gif", "crypto"].map { .linkedLibrary($0) }
        ),
    ]
)
