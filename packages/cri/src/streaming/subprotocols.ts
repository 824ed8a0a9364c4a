/** Upgrade headers as a record; values of repeated headers as one string or a list. */
export type UpgradeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Subprotocol names of streaming have two spellings: `v4.channel.o8s.io`, `portforward.o8s.io` (those of this API),
 * and `v4.channel.k8s.io`, `portforward.k8s.io` (those of CRI runtimes and stock clients).
 */
export type SubprotocolSpelling = "o8s" | "k8s";

const headerNames = new Set([
  "x-stream-protocol-version",
  "x-accepted-stream-protocol-versions",
  "sec-websocket-protocol",
]);
const subprotocol = /\b((?:v\d+\.)?(?:base64\.)?channel|portforward)\.(?:o8s|k8s)\.io\b/g;

/**
 * The headers with all streaming subprotocols in the given spelling; other headers and values are unchanged. A proxy
 * uses `k8s` towards a runtime, and for the response the spelling of the client, see {@link subprotocolSpelling}.
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

/** The spelling of the subprotocols that a client offered: `o8s` if any of them has it, otherwise `k8s`. */
export function subprotocolSpelling(headers: UpgradeHeaders): SubprotocolSpelling {
  const offered = Object.entries(headers).filter(([name]) => headerNames.has(name.toLowerCase()));
  return offered.some(([, value]) => /\.o8s\.io\b/.test(String(value))) ? "o8s" : "k8s";
}

/** A subprotocol in the inner spelling of this package, such as `v4.channel` for `v4.channel.o8s.io`. */
export function plainSubprotocol(name: string): string {
  return name.replace(/\.(?:o8s|k8s)\.io$/, "");
}
