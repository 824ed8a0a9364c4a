import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";

/**
 * Looks at a request before anything else does: before authentication, on every path. It may set response headers. True: it
 * has answered the request, and nothing else will look at it.
 */
export type HttpFilter = (req: HttpRequest, res: HttpResponse) => boolean;
