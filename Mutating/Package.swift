// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that only `scripts/mutate` builds swift-syntax.
let package = Package(
    name: "Mutating",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax", exact: "603.0.1")
    ],
    targets: [
        .target(
            name: "Mutating",
            dependencies: [
                .product(name: "SwiftOperators", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
            ]),
        .executableTarget(name: "Mutate", dependencies: ["Mutating"]),
        .testTarget(name: "MutatingTests", dependencies: ["Mutating"]),
    ],
    swiftLanguageModes: [.v6]
)
