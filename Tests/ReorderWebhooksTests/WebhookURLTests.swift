import ReorderWebhooks
import Testing

@Suite struct WebhookURLTests {
    @Test(arguments: [
        ("https://e.org", "https://e.org"), ("HTTPS://E.org:443/A?b", "https://e.org:443/A?b"),
        ("https://[2001:DB8::1]/hook", "https://[2001:db8::1]/hook"),
        ("https://[::ffff:127.0.0.1]:8443?x", "https://[::ffff:127.0.0.1]:8443?x"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://BÜCHER.example/", "https://xn--bcher-kva.example/"),
        ("https://bu\u{308}cher.example/", "https://xn--bcher-kva.example/"),
        ("https://日本語。jp:1/", "https://xn--wgv71a119e.jp:1/"),
        ("https://пример.рф", "https://xn--e1afmkfd.xn--p1ai"),
        ("https://ドメイン名例.jp/", "https://xn--eckwd4c7cu47r2wf.jp/"),
        ("https://éxample-ñandú.org/", "https://xn--xample-and-96a7hpf.org/"),
        ("https://faß.de/", "https://xn--fa-hia.de/"),
        // The address is checked when it is connected to, however it was written.
        ("https://１２７.０.０.１/", "https://127.0.0.1/"),
    ])
    func aURLHasANormalForm(url: String, normal: String) throws {
        #expect(try WebhookURL.normal(url, allowsHTTP: false) == normal)
        // A stored URL is one.
        #expect(try WebhookURL.normal(normal, allowsHTTP: false) == normal)
    }

    @Test(arguments: [
        "HTTP://e.org/", "https://[::1", "https://[::1]8/", "https://[fe80::1%eth0]/",
        "https://[127.0.0.1]/", "https://[::1]@e.org/", "https://bü cher.org/", "https://☃.org/",
        "https://e.org℀evil/", "https://e.org／evil/", "https://ü@e.org/", "https://e.org:１/",
        "https://\(String(repeating: "ü", count: 64)).org/",
        "https://", "https://:1/", "https://e.org:/", "https://e.org:65536/", "https://e.org:x/",
        "https://[::g]/", "https://e\\x/", "https://u:p@e.org/", "https://e.org/#x",
        "https://e.org/ x", "https://e.org/é", "ftp://e.org/",
    ])
    func otherURLsAreRefused(url: String) {
        #expect(throws: WebhookURL.Fault.self) {
            try WebhookURL.normal(url, allowsHTTP: false)
        }
    }
}
