import AlcedoCodecs
import AlcedoWorker

/// `alcedo-decode`: decodes JPEG, PNG and the other formats of `AlcedoCodecs` in a sandbox.
@main
enum Program {
    static func main() {
        DecodeWorker(CodecRegistry.builtIn.reversed()).run()
    }
}
