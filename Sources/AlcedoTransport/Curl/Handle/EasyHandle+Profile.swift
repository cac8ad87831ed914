extension EasyHandle {
    /// The options of a plain request but its URL; transfers that fit can keep them.
    ///
    /// A request is plain without a credential, a body or a trust scope; handles of others are reset.
    struct Profile {
        private let request: TransportRequest
        private let isSecure: Bool

        /// Nil unless the transfer's request is plain.
        init?(_ transfer: CurlTransfer) {
            guard Self.isPlain(transfer) else { return nil }
            request = transfer.request
            isSecure = transfer.url.isSecure
        }

        func fits(_ transfer: CurlTransfer) -> Bool {
            Self.isPlain(transfer) && isSecure == transfer.url.isSecure
                && request.timeouts.connect == transfer.request.timeouts.connect
                && request.cookies === transfer.request.cookies
                && request.proxy == transfer.request.proxy
                && request.addressPolicy == transfer.request.addressPolicy
                && request.verifiesServer == transfer.request.verifiesServer
                && request.certificateAuthorityFile == transfer.request.certificateAuthorityFile
                && request.headers.elementsEqual(transfer.request.headers, by: ==)
        }

        private static func isPlain(_ transfer: CurlTransfer) -> Bool {
            transfer.request.method == "GET" && transfer.request.body == nil
                && transfer.request.credential == nil && transfer.request.trustScope == nil
                && transfer.machine.credentials.server.sent == nil
                && transfer.machine.credentials.proxy.sent == nil
                && !transfer.machine.hasStartedOver
        }
    }
}
