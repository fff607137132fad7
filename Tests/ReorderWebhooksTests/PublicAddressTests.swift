import Testing
import WebhookSockets

@Suite struct PublicAddressTests {
    @Test(arguments: [
        "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
        "127.0.0.1", "127.255.255.255", "169.254.0.0", "169.254.169.254", "172.16.0.0",
        "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.0",
        "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.1", "203.0.113.1",
        "224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.255",
    ])
    func otherIPv4AddressesAreNotPublic(address: String) {
        #expect(!PublicAddress.contains(ipv4: ipv4(address)))
    }

    @Test(arguments: [
        "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
        "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
        "198.20.0.0", "203.0.114.0", "223.255.255.255",
    ])
    func neighboringIPv4AddressesArePublic(address: String) {
        #expect(PublicAddress.contains(ipv4: ipv4(address)))
    }

    @Test(
        arguments: [
            ([], false), ([0, 0, 0, 0, 0, 0, 0, 1], false),  // ::, ::1
            ([0, 0, 0, 0, 0, 0xFFFF, 0x0808, 0x0808], false),  // an IPv4 address
            ([0x64, 0xFF9B, 0, 0, 0, 0, 0x0808, 0x0808], false),
            ([0x1FFF, 1], false), ([0x2000, 1], true), ([0x3FFE, 1], true), ([0x4000], false),
            ([0x2001, 0, 1], false), ([0x2001, 0x1FF], false), ([0x2001, 0x200], true),
            ([0x2001, 0xDB7], true), ([0x2001, 0xDB8], false), ([0x2001, 0xDB9], true),
            ([0x2002, 0x7F00, 1], false), ([0x2003], true), ([0x2606, 0x4700], true),
            ([0x3FFF, 0x0FFF], false), ([0x3FFF, 0x1000], true),
            ([0xFC00, 1], false), ([0xFD00, 1], false), ([0xFE80, 1], false), ([0xFF02, 1], false),
        ] as [([UInt16], Bool)])
    func onlyGlobalIPv6AddressesArePublic(start: [UInt16], isPublic: Bool) {
        let parts = start + Array(repeating: 0, count: 8 - start.count)
        let bytes = parts.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        #expect(PublicAddress.contains(ipv6: bytes) == isPublic)
    }

    private func ipv4(_ text: String) -> [UInt8] {
        text.split(separator: ".").compactMap { UInt8($0) }
    }
}
