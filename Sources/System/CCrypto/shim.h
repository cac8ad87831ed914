#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

/// Initialises libcrypto, if nobody has, so that it stays usable until the very end of the process.
///
/// By default it tears itself down in `exit`, while other threads may still be hashing. OPENSSL_INIT_NO_ATEXIT is a macro
/// that Swift reads as another type than the function takes.
static inline int alcedo_crypto_init(void) {
    return OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
