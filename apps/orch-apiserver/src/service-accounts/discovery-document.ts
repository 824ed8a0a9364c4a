import type { VerifyingKey } from "@orchernetes/auth";

/**
 * Returns the documents with which others verify service account tokens, by their paths: the discovery document of OpenID Connect and the
 * key set (KEP-1393).
 */
export function openIdConfiguration(options: {
  readonly issuer: string;
  readonly keys: readonly VerifyingKey[];
  /** `--service-account-jwks-uri`. @default the key set of this server */
  readonly jwksUri?: string;
  /** URL of this server as clients reach it, without a path. */
  readonly externalBase: string;
}): ReadonlyMap<string, { readonly type: string; readonly body: string }> {
  const algorithms = [...new Set(options.keys.map((key) => key.algorithm))];
  const document = {
    issuer: options.issuer,
    jwks_uri: options.jwksUri ?? `${options.externalBase}/openid/v1/jwks`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: algorithms,
  };
  const unique = new Map(options.keys.map((key) => [key.id, key]));
  const keys = [...unique.values()].map(({ key, id, algorithm }) => ({
    use: "sig",
    kid: id,
    alg: algorithm,
    ...key.export({ format: "jwk" }),
  }));
  return new Map([
    ["/.well-known/openid-configuration", { type: "application/json", body: JSON.stringify(document) }],
    ["/openid/v1/jwks", { type: "application/jwk-set+json", body: JSON.stringify({ keys }) }],
  ]);
}
