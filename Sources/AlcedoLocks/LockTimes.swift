#if LOCK_TIMES
    import Dispatch
    import Glibc

    /// How often and how long each lock was held, printed when the process exits; for `make lock-times` only.
    ///
    /// The table is not guarded: two locks that take the same row at the same time may lose a count.
    @usableFromInline enum LockTimes {
        private struct Row {
            var place: UInt = 0
            var type: UInt = 0
            var takes = 0
            var waits = 0
            var nanoseconds = 0
        }

        private static let rowCount = (1 << 17) + 16

        /// A longer hold counts without its time: its thread was preempted, which is not the lock's.
        private static let longest = 100_000

        /// The address of the table, whose memory is never freed.
        private static let address = {
            let rows = UnsafeMutablePointer<Row>.allocate(capacity: rowCount)
            rows.initialize(repeating: Row(), count: rowCount)
            atexit { LockTimes.print() }
            return Int(bitPattern: rows)
        }()

        /// What two readings of the clock take.
        private static let overhead =
            (0..<1000).map { _ in
                let start = now
                return now - start
            }.min() ?? 0

        @usableFromInline static var now: Int { Int(DispatchTime.now().uptimeNanoseconds) }

        /// Adds that the lock at `place`, which guards a value of `type`, was held since `start`.
        @usableFromInline static func add(place: UInt, type: UInt, since start: Int, hasWaited: Bool) {
            let nanoseconds = now - start - overhead
            guard let rows = UnsafeMutablePointer<Row>(bitPattern: address) else { return }
            let first = Int(truncatingIfNeeded: (((place >> 3) ^ type) &* 0x9E37_79B9_7F4A_7C15) >> 47)
            // Locks of objects that live as long as a load find no row at some time; the others have one by then.
            let found = (first..<first + 16).first { index in
                rows[index].place == 0 || (rows[index].place == place && rows[index].type == type)
            }
            guard let index = found else { return }
            (rows[index].place, rows[index].type) = (place, type)
            rows[index].takes += 1
            if hasWaited { rows[index].waits += 1 }
            if nanoseconds < longest { rows[index].nanoseconds += max(0, nanoseconds) }
        }

        private static func print() {
            let rows = UnsafePointer<Row>(bitPattern: address)
            for row in UnsafeBufferPointer(start: rows, count: rowCount) where row.takes >= 100 {
                // Safe because the number is the address of a type.
                let name = _typeName(unsafeBitCast(row.type, to: Any.Type.self))
                Swift.print("lock", row.takes, row.waits, row.nanoseconds, name)
            }
        }
    }
#endif
