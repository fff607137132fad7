import Glibc

/// Sets an option of a socket. If the system refuses it, the socket is used without the option.
func setSocketOption(_ socket: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    setsockopt(socket, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
}
