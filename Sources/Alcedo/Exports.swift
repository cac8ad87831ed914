@_exported public import AlcedoCaches
@_exported public import AlcedoCodecs
@_exported public import AlcedoPixels
@_exported public import AlcedoRaster
@_exported public import AlcedoTransport
// What Apple's Foundation has in one module: `URLRequest`, `HTTPURLResponse`, `URLSessionConfiguration`.
@_exported public import FoundationNetworking
