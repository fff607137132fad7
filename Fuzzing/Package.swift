// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that users never build it: the server's modules once more (Sources has
// links to them), instrumented for libFuzzer and the address sanitizer. `scripts/fuzz` runs it.
let instrumented: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer,address"])]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: instrumented)
}

let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    ],
    targets: [
        .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd"),
        .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
        module("ReorderMetrics"),
        module("MicroHTTP", ["CMicroHTTPD", "CGnuTLS", "CZlib", "ReorderMetrics"]),
        module("ReorderEngine"),
        module("ReorderJSON", ["ReorderEngine"]),
        module("ReorderImportExport", ["ReorderEngine", "ReorderJSON"]),
        module("ReorderStore"),
        module(
            "ReorderService",
            [
                "ReorderEngine", "ReorderJSON", "ReorderMetrics", "ReorderStore",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        module("ReorderCrypto", ["CGnuTLS"]),
        module("SigningKeys", ["CGnuTLS"]),
        module("ReorderAuth", ["ReorderCrypto", "ReorderJSON"]),
        .target(name: "CEmbeddedFiles"),
        .target(
            name: "WebPage", dependencies: ["CEmbeddedFiles", "MicroHTTP"], exclude: ["Files"],
            swiftSettings: instrumented),
        module(
            "ReorderWebhooks",
            [
                "ReorderAuth", "ReorderCrypto", "ReorderJSON", "ReorderService", "ReorderStore",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        module(
            "ReorderAPI",
            [
                "MicroHTTP", "ReorderAuth", "ReorderCrypto", "ReorderService", "ReorderJSON",
                "ReorderMetrics", "ReorderWebhooks", "WebPage",
            ]),
        module(
            "ReorderCalDAV",
            [
                "MicroHTTP", "ReorderAPI", "ReorderAuth", "ReorderCrypto", "ReorderEngine",
                "ReorderImportExport", "ReorderJSON", "ReorderService", "ReorderStore",
                "ReorderWebhooks",
            ]),
        module(
            "FuzzTargets",
            [
                "MicroHTTP", "ReorderAPI", "ReorderAuth", "ReorderCalDAV", "ReorderCrypto",
                "ReorderImportExport", "ReorderJSON", "ReorderService", "ReorderStore",
                "SigningKeys",
                .product(name: "Logging", package: "swift-log"),
            ]),
        // Its main function is libFuzzer's.
        .executableTarget(
            name: "Fuzz", dependencies: ["FuzzTargets"],
            swiftSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"])],
            linkerSettings: [
                // The other linker ends at the sanitizer's symbols.
                .unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])
            ]),
    ],
    swiftLanguageModes: [.v6]
)
