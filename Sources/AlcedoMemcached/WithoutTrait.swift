#if !Memcached
    /// A store in memcached, which this build does not have.
    @available(*, unavailable, message: "enable the trait Memcached of the package Alcedo")
    public struct MemcachedStore {
        @available(*, unavailable, message: "enable the trait Memcached of the package Alcedo")
        public init(servers: [String]) throws {}
    }
#endif
