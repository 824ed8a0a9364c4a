/** Upgrade headers as a record; values of repeated headers as one string or a list. */
export type UpgradeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The subprotocol names of streaming exist in two spellings: `v4.channel.o8s.io`, `portforward.o8s.io` (this API's), and
 * `v4.channel.k8s.io`, `portforward.k8s.io` (those that CRI runtimes and stock clients speak).
 */
export type SubprotocolSpelling = "o8s" | "k8s";

const headerNames = new Set([
  "x-stream-protocol-version",
  "x-accepted-stream-protocol-versions",
  "sec-websocket-protocol",
]);
const subprotocol = /\b((?:v\d+\.)?(?:base64\.)?channel|portforward)\.(?:o8s|k8s)\.io\b/g;

/**
 * Headers with every streaming subprotocol in the wanted spelling; other headers and values as they were. For a proxy:
 * towards a runtime `k8s`; the answer back in the spelling the client used, see {@link subprotocolSpelling}.
 */
export function translateSubprotocol<H extends UpgradeHeaders>(headers: H, spelling: SubprotocolSpelling): H {
  const translate = (value: string) => value.replace(subprotocol, `$1.${spelling}.io`);
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (value === undefined || !headerNames.has(name.toLowerCase())) return [name, value];
      return [name, typeof value === "string" ? translate(value) : value.map(translate)];
    }),
  ) as H;
}

/** Spelling of the subprotocols a client offered: `o8s` when it offered any of those, else `k8s`. */
export function subprotocolSpelling(headers: UpgradeHeaders): SubprotocolSpelling {
  const offered = Object.entries(headers).filter(([name]) => headerNames.has(name.toLowerCase()));
  return offered.some(([, value]) => /\.o8s\.io\b/.test(String(value))) ? "o8s" : "k8s";
}

/** A subprotocol in this package's inner spelling, e.g. `v4.channel` for `v4.channel.o8s.io`. */
export function plainSubprotocol(name: string): string {
  return name.replace(/\.(?:o8s|k8s)\.io$/, "");
}
