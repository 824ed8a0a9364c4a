import { nastyText, trapNames } from "../generate/nasty-text.ts";
import type { Random } from "../random.ts";
import { rawText } from "../target.ts";

const accepts = [
  "application/json",
  "*/*",
  "application/yaml",
  "application/vnd.orchernetes.protobuf",
  "application/json;as=Table;v=v1;g=meta.o8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.o8s.io",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.o8s.io,application/json",
  "application/json;as=__proto__;v=constructor;g=toString",
  "application/json;stream=watch",
  "application/vnd.orchernetes.protobuf;stream=watch",
  "text/html",
  "application/json;q=2,*/*;q=-1",
  ",,,;;;q=",
  "application/json;as=APIGroupDiscoveryList;v=v2beta1;g=apidiscovery.o8s.io",
  "/",
];

const value = (random: Random): string => rawText(nastyText(random)).replace(/[\r\n\0]/g, "");

/** An Accept header, or none. */
export function acceptHeader(random: Random): string[] {
  if (random.chance(0.5)) return [];
  return [`Accept: ${random.chance(0.95) ? random.pick(accepts) : value(random)}`];
}

const base64 = (text: string): string => Buffer.from(text).toString("base64url");

/**
 * A bearer token: a JWT with a signature, an algorithm or claims that must not be accepted, or something that is not
 * a JWT.
 */
function token(random: Random): string {
  const header = {
    alg: random.pick(["none", "RS256", "HS256", "ES256", "__proto__", ""]),
    kid: random.pick(["x", "__proto__", "../../x"]),
    typ: "JWT",
  };
  const claims = {
    iss: random.pick(["https://orchernetes.default.svc.cluster.local", "orchernetes/serviceaccount", "x"]),
    sub: "system:serviceaccount:default:default",
    aud: random.pick<unknown>([["x"], "x", 1]),
    exp: random.pick<unknown>([1e12, 0, "x", 1e300]),
    "orchernetes.io": random.pick<unknown>([
      { namespace: "default", serviceaccount: { name: "default", uid: "x" } },
      null,
      1,
    ]),
  };
  const parts = [base64(JSON.stringify(header)), base64(JSON.stringify(claims)), base64(value(random))];
  return random.chance(0.7)
    ? parts.join(".")
    : random.pick([
        `${parts[0]}.`,
        "...",
        "a.b",
        parts.join(".").repeat(20),
        value(random),
        "",
        `${parts.join(".")}.x`,
      ]);
}

const makers: readonly ((random: Random) => readonly string[])[] = [
  (random) => [`Authorization: Bearer ${token(random)}`],
  (random) => [
    `Authorization: ${random.pick(["Basic YTpi", "bearer", "Bearer", "Negotiate x", "Bearer a b", value(random)])}`,
  ],
  (random) => [
    `Impersonate-User: ${random.pick(["a", "system:anonymous", "system:serviceaccount:a:b", "system:serviceaccount:", value(random)])}`,
    ...impersonation(random),
  ],
  (random) => impersonation(random),
  (random) => [`Accept: ${random.pick(accepts)}`, `Accept: ${value(random)}`],
  (random) => [
    `Accept: ${Array.from({ length: random.size(2000) }, () => random.pick(accepts))
      .join(",")
      .slice(0, 14_000)}`,
  ],
  (random) => [
    `Accept-Encoding: ${random.pick(["gzip", "gzip;q=0", "br, gzip;q=1", "*", "identity;q=0,*;q=0", value(random)])}`,
  ],
  (random) => Array.from({ length: random.size(1500) }, (_, i) => `X-H${i}: ${i}`),
  (random) => [`X-Long: ${"a".repeat(random.size(60_000))}`],
  (random) => [`${random.pick(trapNames)}: x`],
  (random) => [
    `Content-Length: ${random.pick(["0", "1", "5", "-1", "+5", "0x5", "5, 5", "99999999999999999999", "3000000", ""])}`,
  ],
  (random) => [
    `Transfer-Encoding: ${random.pick(["chunked", "gzip, chunked", "identity", "chunked, chunked", "xchunked", "\tchunked"])}`,
    ...(random.chance(0.3) ? ["Content-Length: 5"] : []),
  ],
  (random) => [`Expect: ${random.pick(["100-continue", "x", ""])}`],
  (random) => [
    "Connection: Upgrade",
    `Upgrade: ${random.pick(["websocket", "SPDY/3.1", "h2c", "TLS/1.0", value(random)])}`,
  ],
  (random) => [`Connection: ${random.pick(["close", "keep-alive", "x", "content-length"])}`],
  (random) => [`Origin: ${value(random)}`, `Access-Control-Request-Method: ${value(random)}`],
  (random) => [`If-None-Match: ${value(random)}`, `Range: bytes=${value(random)}`],
  (random) => [`User-Agent: ${random.pick(["", "/".repeat(500), "kubectl/x (y) z", value(random)])}`],
  (random) => [`Host: ${random.pick(["", "a b", "[::1]:x", "..", "a".repeat(3000), value(random)])}`],
  (random) => [
    `Content-Type: ${random.pick(["application/json;;;", "application/json; charset=utf-7", "multipart/form-data", "__proto__/x", value(random)])}`,
  ],
  (random) => [`X-Forwarded-For: ${value(random)}`, `X-Remote-User: admin`, "X-Remote-Group: system:masters"],
  (random) => [`Audit-ID: ${random.pick(["a".repeat(5000), value(random)])}`, `Traceparent: ${value(random)}`],
  // Obsolete line folding (RFC 9112 section 5.2) and lines that are not fields.
  (random) => [` folded: ${value(random)}`, "No-Colon", `Bad Name: x`, ": empty"].slice(random.below(4)),
  (random) => [`X: ${value(random)}\r Y: folded`],
];

/** Headers of user impersonation; most are not valid. */
function impersonation(random: Random): string[] {
  return random.many(0, 4, () =>
    random.pick([
      "Impersonate-Group: system:masters",
      "Impersonate-Group: ",
      "Impersonate-Uid: x",
      `Impersonate-Uid: ${value(random)}`,
      "Impersonate-Extra-: x",
      `Impersonate-Extra-${encodeURIComponent(nastyText(random).toWellFormed()).slice(0, 200)}: ${value(random)}`,
      "Impersonate-Extra-__proto__: x",
      "Impersonate-Extra-%zz: x",
      "Impersonate-Unknown: x",
    ]),
  );
}

/** One to three hostile sets of header lines. */
export function hostileHeaders(random: Random): string[] {
  return random.many(1, 3, () => random.pick(makers)(random)).flat();
}
