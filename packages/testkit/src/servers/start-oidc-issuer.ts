import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { startWebhookServer, type WebhookBehaviour, type WebhookServer } from "./start-webhook-server.ts";

/** A signing key of an issuer. */
interface IssuerKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** An OpenID Connect issuer over TLS on a free port of 127.0.0.1, with ES256 keys that a test rotates. */
export interface OidcIssuer {
  /** The issuer's URL, as in the `iss` claim. */
  readonly url: string;
  /**
   * The server that serves its documents. A test may change its behaviour, and restore it with {@link
   * OidcIssuer.answer}.
   */
  readonly server: WebhookServer;
  /** The behaviour of a correct issuer. */
  readonly answer: WebhookBehaviour;
  /** How often the key set has been fetched. */
  readonly keyFetches: number;
  /** The public part of the current key, in PEM. */
  readonly publicKeyPem: string;
  /** Signs claims with the current key. `iss` and an `exp` in an hour are added, unless they are given. */
  token(claims: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): string;
  /** Replaces the key: later tokens are signed with the new one, and only that is published. */
  rotate(): void;
  /** Publishes this issuer in the discovery document from now on. */
  pretend(issuer: string): void;
  stop(): Promise<void>;
}

/** Starts an issuer with one key. */
export async function startOidcIssuer(): Promise<OidcIssuer> {
  let serial = 0;
  const create = (): IssuerKey => ({ id: `key-${++serial}`, ...generateKeyPairSync("ec", { namedCurve: "P-256" }) });
  let key = create();
  let keyFetches = 0;
  let named: string | undefined;
  const answer: WebhookBehaviour = {
    type: "answer",
    body({ path }) {
      if (path === "/.well-known/openid-configuration")
        return { issuer: named ?? server.url, jwks_uri: `${server.url}/keys` };
      keyFetches++;
      return { keys: [{ ...key.publicKey.export({ format: "jwk" }), kid: key.id, alg: "ES256", use: "sig" }] };
    },
  };
  const server = await startWebhookServer({ behaviour: answer });
  return {
    url: server.url,
    server,
    answer,
    get keyFetches() {
      return keyFetches;
    },
    get publicKeyPem() {
      return key.publicKey.export({ format: "pem", type: "spki" }).toString();
    },
    token(claims, header = {}) {
      const exp = Math.floor(Date.now() / 1000) + 3600;
      const parts = [
        { alg: "ES256", kid: key.id, ...header },
        { iss: server.url, exp, ...claims },
      ];
      const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
      const signature = sign("sha256", Buffer.from(text), { key: key.privateKey, dsaEncoding: "ieee-p1363" });
      return `${text}.${signature.toString("base64url")}`;
    },
    rotate() {
      key = create();
    },
    pretend(issuer) {
      named = issuer;
    },
    stop: () => server.stop(),
  };
}
