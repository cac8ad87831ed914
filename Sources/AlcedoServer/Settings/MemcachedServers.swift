#if Memcached
    import AlcedoMemcached
#endif

/// `HOST:PORT,…`.
func memcachedServers(_ text: String) throws -> [String] {
    let servers = try list(text)
    #if Memcached
        do {
            _ = try MemcachedStore(servers: servers)
        } catch {
            throw Setting.Rejected("different HOST:PORT, separated by commas")
        }
        return servers
    #else
        throw SettingFailure(
            "ALCEDO_MEMCACHED needs a build with the package trait Memcached; "
                + "build it with the package traits Memcached and Server")
    #endif
}
