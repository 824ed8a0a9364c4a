/**
 * The `WWW-Authenticate` header of every answer 401 (RFC 9110 §11.6.1, RFC 6750 §3). It does not say what was wrong with credentials.
 * Browsers ask nobody for a password because of it, and clients of the API ignore it.
 */
export const authenticationChallenge = 'Bearer realm="orchernetes"';
