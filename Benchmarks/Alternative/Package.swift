// swift-tools-version: 6.1
import PackageDescription

// A typical alternative to reorderd, written in the usual way. It is a separate package, so that
// only its benchmark builds Hummingbird.
let package = Package(
    name: "alternative",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "Alternative",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
