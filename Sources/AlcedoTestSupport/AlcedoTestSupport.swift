// AlcedoTestSupport
