import type { HttpFilter } from "../interfaces/server.ts";

/** A matcher that tests a text, such as a regular expression from a flag (`--cors-allowed-origins`). */
export interface Pattern {
  test(text: string): boolean;
}

const methods = "POST, GET, OPTIONS, PUT, DELETE, PATCH";
const requestHeaders =
  "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since";
const exposedHeaders = "Date";

/**
 * Allows pages of allowed origins to call the server from a browser (Fetch standard, CORS protocol). A request without `Origin`, or
 * from an origin that no pattern matches, is processed unchanged: the browser then hides the response from the page. OPTIONS
 * requests of allowed origins are preflights and are answered here, without authentication, as they carry no credentials.
 *
 * @param origins patterns that occur in allowed origins; users anchor them
 */
export function cors(origins: readonly Pattern[]): HttpFilter {
  return (req, res) => {
    const { origin } = req.headers;
    if (typeof origin !== "string" || origin === "") return false;
    if (!origins.some((pattern) => pattern.test(origin))) return false;
    res.setHeader("access-control-allow-origin", origin);
    res.setHeader("access-control-allow-methods", methods);
    res.setHeader("access-control-allow-headers", requestHeaders);
    res.setHeader("access-control-expose-headers", exposedHeaders);
    res.setHeader("access-control-allow-credentials", "true");
    if (req.method !== "OPTIONS") return false;
    res.writeHead(204);
    res.end();
    return true;
  };
}
