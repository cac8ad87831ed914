import AlcedoWorker

/// A helper program of the tests, which does what a decoder that has been taken over might do.
///
/// It restricts itself as the others do, and then misbehaves as the bytes say that it is asked to decode.
@main
enum Program {
    static func main() { DecodeWorker([HostileCodec()]).run() }
}
