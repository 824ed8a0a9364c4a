import type { IncomingHttpHeaders } from "node:http";
import { isIP, SocketAddress } from "node:net";

/** An IPv4 address that a dual-stack socket shows as an IPv6 address. */
const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** Limit of addresses from headers, which the client chooses. */
const mostAddresses = 64;

/** The address in its shortest form; "" for other text, and for addresses with a zone. */
function addressIn(text: string): string {
  const trimmed = text.trim();
  const family = isIP(trimmed);
  if (family === 4) return trimmed;
  if (family === 0 || trimmed.includes("%")) return "";
  const { address } = new SocketAddress({ address: trimmed, family: "ipv6" });
  return mapped.exec(address)?.[1] ?? address;
}

/** Sockets show addresses in their shortest form already. */
function remoteIn(address: string): string {
  if (!address.includes(":")) return address;
  const [plain = ""] = address.split("%", 1);
  return mapped.exec(plain)?.[1] ?? plain;
}

const one = (header: string | string[] | undefined): string =>
  (Array.isArray(header) ? header.join(",") : header) ?? "";

/**
 * The addresses of a request: those that proxies name (X-Forwarded-For, X-Real-Ip), then that of the connection, which
 * is the only one that a client cannot choose.
 */
export function sourceIps(headers: IncomingHttpHeaders, remoteAddress: string | undefined): readonly string[] {
  const remote = remoteAddress === undefined ? "" : remoteIn(remoteAddress);
  if (headers["x-forwarded-for"] === undefined && headers["x-real-ip"] === undefined)
    return remote === "" ? [] : [remote];
  const found = one(headers["x-forwarded-for"])
    .split(",", mostAddresses)
    .map(addressIn)
    .filter((address) => address !== "");
  const real = addressIn(one(headers["x-real-ip"]));
  if (real !== "" && !found.includes(real)) found.push(real);
  if (remote !== "" && found.at(-1) !== remote) found.push(remote);
  return found;
}
