import type { Target } from "./http-connection.ts";
import { collectionPath, type ObjectKind, objectJson } from "./objects.ts";

/** Digits of the number that makes the names of one load distinct; a fixed width keeps Content-Length the same. */
export const SERIAL_DIGITS = 10;

/** An HTTP/1.1 request in parts; a number of {@link SERIAL_DIGITS} digits is inserted between two parts. */
export type RequestTemplate = readonly string[];

const PLACE = "#".repeat(SERIAL_DIGITS);
const TIERS = 10;

function head({ host, port, token }: Target, method: string, path: string): string {
  return `${method} ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\n`;
}

/** The template of a GET, which is the same each time. */
export function getTemplates(target: Target, path: string): readonly RequestTemplate[] {
  return [[`${head(target, "GET", path)}\r\n`]];
}

/**
 * Creates of objects named `prefix-NUMBER`; used in turn, they give Pods ten values of the label `tier`.
 * @param prefix characters of a name, without `#`
 */
export function createTemplates(target: Target, kind: ObjectKind, prefix: string): readonly RequestTemplate[] {
  return Array.from({ length: kind === "configmap" ? 1 : TIERS }, (_, tier) => {
    const body = objectJson(kind, `${prefix}-${PLACE}`, tier, 0);
    const length = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
    return `${head(target, "POST", collectionPath(kind))}${length}${body}`.split(PLACE);
  });
}
