/** Rewrites a link of a page, or a redirect location, so that it works through this server. */
export type LinkRewriter = (link: string) => string;

/** Characters that a path may hold as it was sent, and that end a value in HTML; encoded, they mean the same. */
const MARKUP = /["'<>&`\s]/g;

const PARTS = /^(?:([a-z][a-z0-9+.-]*:)?(?:\/\/([^/?#]*))?)([^?#]*)/i;

/**
 * Rewrites links of a server that is reached through a proxy path: absolute paths get the proxy path as a prefix. Links to other
 * hosts and relative links stay unchanged.
 *
 * @param prefix the path that leads to the other server, such as `/api/v1/namespaces/a/pods/p/proxy`
 * @param target host and port of the other server
 * @param asked host and port by which the client calls this server
 */
export function linkRewriter(prefix: string, target: string, asked: string): LinkRewriter {
  const safePrefix = prefix.replace(MARKUP, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
  return (link) => {
    const [whole = "", scheme, host, path = ""] = PARTS.exec(link) ?? [];
    const sameHost = host === undefined ? scheme === undefined : host === target || host === asked;
    if (!sameHost || !path.startsWith("/")) return link;
    const server = host === asked ? whole.slice(0, whole.length - path.length) : "";
    const there = path === prefix || path.startsWith(`${prefix}/`) ? path : `${safePrefix}${path}`;
    return `${server}${there}${link.slice(whole.length)}`;
  };
}
