#if FUZZ
    import Synchronization

    /// The most bytes that all threads together have allocated at a time, by the hooks of the address sanitizer.
    ///
    /// Memory that is mapped, as that of large bitmaps, does not count.
    enum AllocationPeak {
        private static let current = Atomic(0)
        private static let most = Atomic(0)

        private static let isInstalled = install(
            { _, count in
                let (_, now) = AllocationPeak.current.add(count, ordering: .relaxed)
                AllocationPeak.most.max(now, ordering: .relaxed)
            },
            { pointer in
                AllocationPeak.current.subtract(allocatedSize(pointer), ordering: .relaxed)
            })

        static func during(_ body: () -> Void) -> Int {
            let start = current.load(ordering: .relaxed)
            most.store(start, ordering: .relaxed)
            precondition(isInstalled > 0, "the sanitizer takes no more hooks")
            body()
            return most.load(ordering: .relaxed) - start
        }
    }

    // Of every sanitizer's runtime, without a header that Swift could import.
    @_silgen_name("__sanitizer_install_malloc_and_free_hooks")
    private func install(
        _ allocated: @convention(c) (UnsafeRawPointer?, Int) -> Void,
        _ freed: @convention(c) (UnsafeRawPointer?) -> Void
    ) -> CInt

    @_silgen_name("__sanitizer_get_allocated_size")
    private func allocatedSize(_ pointer: UnsafeRawPointer?) -> Int
#elseif DEBUG
    /// Only builds for libFuzzer, which have the address sanitizer, measure it.
    enum AllocationPeak {
        static func during(_ body: () -> Void) -> Int {
            body()
            return 0
        }
    }
#endif
