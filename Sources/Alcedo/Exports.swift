@_exported public import AlcedoCodecs
@_exported public import AlcedoPixels
@_exported public import AlcedoRaster
@_exported public import AlcedoTransport
