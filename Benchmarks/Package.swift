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
    // With the formats that have rows; a program pays for loading their libraries as any with these traits does.
    dependencies: [.package(name: "Alcedo", path: "..", traits: ["HEIF", "JXL", "SVG"])],
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
        // A simulation; it measures nothing and depends on nothing.
        .executableTarget(name: "FleetSimulation", swiftSettings: strict),
        .target(name: "Unverified", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(
            name: "FloorBench",
            linkerSettings: ["curl", "jpeg", "spng", "webp", "gif", "deflate", "crypto"].map {
                .linkedLibrary($0)
            }
        ),
    ]
)
