#if Server
    import AlcedoTestSupport
    import Foundation
    import Testing

    @testable import AlcedoHTTPServer

    @Suite(.timeLimit(.minutes(10))) final class `The watch over connections` {
        private let watch: ConnectionWatch
        private var descriptors: [Int32] = []

        init() throws { watch = try ConnectionWatch() }

        deinit {
            watch.stop()
            for descriptor in descriptors { close(descriptor) }
        }

        /// Both ends of a connection.
        private func connection() throws -> (own: Int32, client: Int32) {
            var ends: [Int32] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
            descriptors += ends
            return (ends[0], ends[1])
        }

        /// Waits until the server has ended a connection.
        private func waitForEnd(_ client: Int32) async throws {
            let count = try await offPool {
                var byte: UInt8 = 0
                return recv(client, &byte, 1, 0)
            }
            #expect(count == 0)
        }

        @Test func `the watch over connections wakes nothing while there is no connection`() throws {
            #expect(watch.nextWakeUp == nil)
            let first = try connection()
            watch.add(first.own, timeout: 10_000)
            #expect(watch.nextWakeUp != nil)
        }

        @Test func `the watch over connections ends a late connection, and wakes for it no more`()
            async throws
        {
            let late = try connection()
            watch.add(late.own, timeout: 0)
            try await waitForEnd(late.client)
            #expect(watch.nextWakeUp == nil)
        }

        @Test func `the watch over connections wakes earlier for an earlier deadline`() async throws {
            let (patient, late) = (try connection(), try connection())
            watch.add(patient.own, timeout: 10_000)
            let first = try #require(watch.nextWakeUp)
            watch.add(late.own, timeout: 20_000)
            #expect(watch.nextWakeUp == first)
            watch.isSending(late.own, timeout: 0)
            try await waitForEnd(late.client)
            #expect(watch.nextWakeUp == first)
        }

        @Test func `the watch over connections wakes for no running handler`() async throws {
            let (working, late) = (try connection(), try connection())
            watch.add(working.own, timeout: 10_000)
            watch.headIsComplete(working.own)
            watch.add(late.own, timeout: 0)
            try await waitForEnd(late.client)
            #expect(watch.nextWakeUp == nil)
        }
    }
#endif
