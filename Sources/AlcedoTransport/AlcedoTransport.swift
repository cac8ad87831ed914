// AlcedoTransport
