/// What is simulated: the machines, their caches, the pictures and the load.
struct Fleet {
    /// Server machines behind a balancer that spreads requests evenly.
    var machines = 300
    /// Bytes of encoded results that a machine keeps in memory.
    var memory = 1 << 30
    /// Bytes of results and originals that a machine keeps on its disk.
    var disk = 100 << 30
    /// Nodes of the shared tier.
    var nodes = 30
    /// Bytes of one node.
    var node = 64 << 30
    /// The largest value that the shared tier keeps, in bytes.
    var largestValue = 900_000
    /// Whether the shared tier keeps originals too.
    var sharesOriginals = true

    /// Distinct pictures.
    var pictures = 50_000_000
    /// Exponent of the Zipf distribution of the pictures' popularity.
    var exponent = 0.9
    /// Treatments (size, format) in which a picture is asked for, equally often.
    var treatments = 4
    /// Median bytes of a result.
    var result = 25_000
    /// Median bytes of an original.
    var original = 600_000
    /// Requests a second, of the whole fleet.
    var rate = 60_000.0

    /// One picture of so many is simulated, and all caches are that much smaller.
    var sampling = 1000
    /// The most popular pictures, which every machine has in memory and which are not simulated.
    var head = 1000

    /// What one request costs by the tier that answers.
    var costs = Costs()

    var sharedBytes: Int { nodes * node }
}

/// What a request costs by the tier that answers, as measured by `make bench ROWS=fleet`.
struct Costs {
    /// Milliseconds of a hit in memory, on the disk and in the shared tier.
    var memory = 0.1
    var disk = 0.4
    var shared = 0.9
    /// Milliseconds of a download from the origin.
    var origin = 120.0
    /// Milliseconds of a core to make a result of an original.
    var processing = 25.0
}
