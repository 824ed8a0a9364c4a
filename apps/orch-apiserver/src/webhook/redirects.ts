import { ReviewError } from "./review-error.ts";

/** Maximum number of redirects that a review follows, as upstream. */
export const MAX_REDIRECTS = 10;

/** A response that may be a redirect. */
export interface RedirectingAnswer {
  readonly status: number;
  /** Header Location. */
  readonly location: string | undefined;
  /** The URL of the request. */
  readonly from: URL;
  /** The request as errors name it. */
  readonly where: string;
}

/**
 * Returns the path with query to which a review is posted again; undefined if the response is not a redirect to follow.
 *
 * Go's client posts again after a 307 or 308, and asks with GET after a 301, 302 or 303, which no webhook answers with a review. It
 * goes to any host, with the credentials that are meant for the first one (CVE-2020-8561). This server stays with the scheme, host
 * and port that were configured: a webhook must not choose what the server connects to.
 *
 * @throws ReviewError for a redirect to another server, or to the same one without TLS
 */
export function redirectedPath({ status, location, from, where }: RedirectingAnswer): string | undefined {
  if ((status !== 307 && status !== 308) || location === undefined || location === "") return undefined;
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  if (to?.origin === from.origin) return to.pathname + to.search;
  const found = to === undefined ? "that is no URL" : `to ${to.origin.slice(0, 300)}`;
  throw new ReviewError(`${where}: found a redirect ${found}; accepted is one to ${from.origin}`, {
    failure: "redirect",
    status,
  });
}
