// swift-tools-version: 6.0
import PackageDescription

// The library for apps, as a package without dependencies: an app's own packages decide about their versions alone.
// `scripts/client-package` puts the sources beside this manifest.
let package = Package(
    name: "reorder-client",
    platforms: [.iOS(.v17), .macOS(.v14), .watchOS(.v10), .tvOS(.v17), .visionOS(.v1)],
    products: [
        .library(name: "ReorderClient", targets: ["ReorderClient"])
    ],
    targets: [
        .target(name: "ReorderEngine"),
        .target(name: "ReorderJSON", dependencies: ["ReorderEngine"]),
        .target(
            name: "ReorderClient", dependencies: ["ReorderEngine", "ReorderJSON"],
            resources: [.copy("PrivacyInfo.xcprivacy")]),
    ],
    swiftLanguageModes: [.v6]
)
