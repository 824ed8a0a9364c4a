import { expect, test } from "vitest";
import { create, update } from "../../../test/support.ts";
import { clusterTrustBundles } from "./cluster-trust-bundle.ts";

/** A self-signed CA certificate, and a certificate that is not a CA. */
const authority = `-----BEGIN CERTIFICATE-----
MIIBcDCCARegAwIBAgIUU3gPSYT3e2d5133sxkLEi5MYw3kwCgYIKoZIzj0EAwIw
DTELMAkGA1UEAwwCY2EwIBcNMjYxMTIxMTIyMTQwWhgPMjEyNjEwMjgxMjIxNDBa
MA0xCzAJBgNVBAMMAmNhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE5sC8zB2r
LiKRT3bTwrLzNN7j1DMlEt6//ZngHQlqHtgnr/MhuVoti9hi+CxcEIvUwXPRMQsv
cLjMejzstBDcnqNTMFEwHQYDVR0OBBYEFNZDEzGH/EhtnZvALpi4XT5Pv7MKMB8G
A1UdIwQYMBaAFNZDEzGH/EhtnZvALpi4XT5Pv7MKMA8GA1UdEwEB/wQFMAMBAf8w
CgYIKoZIzj0EAwIDRwAwRAIgSo6ypD4pHg8//sF459FRbxjYK4QR0bYJhkGMXt0J
SqkCIDd0amSiI7MxkgR75WA4OxvY33eopfWd8eIDskhfhzFC
-----END CERTIFICATE-----
`;
const leaf = `-----BEGIN CERTIFICATE-----
MIIBcjCCARigAwIBAgIUGDIYQ6BdqC8znxrvvKLVNPFs1FAwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEbGVhZjAgFw0yNjExMjExMjIxNDBaGA8yMTI2MTAyODEyMjE0
MFowDzENMAsGA1UEAwwEbGVhZjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABITA
XfhrWIzgGfrWsaIXUxAW1HCayBgE5n1D05UZ3A/AYt4su9D665z0j2dIoMzmnZek
pmo5uwKZE9mxnyAkS1SjUDBOMB0GA1UdDgQWBBSRs/Ky07TurWBca2JVDRxQQFhg
WDAfBgNVHSMEGDAWgBSRs/Ky07TurWBca2JVDRxQQFhgWDAMBgNVHRMBAf8EAjAA
MAoGCCqGSM49BAMCA0gAMEUCIBmTwXl5YkiyozTGLpoJ0PDNJF6O0RbmR/Go3+EJ
Hu6UAiEAzz1z2agDO5LrmeGHE7WXeCwu8WqpdOmQER1V4Dr9R0A=
-----END CERTIFICATE-----
`;
const withHeaders = authority.replace("-----\n", "-----\nProc-Type: 4,ENCRYPTED\n\n");
const bundle = (name: string, trustBundle: string, signerName?: string): object => ({
  metadata: { name },
  spec: { trustBundle, ...(signerName === undefined ? {} : { signerName }) },
});
const error = (detail: string): string => `spec.trustBundle: Invalid value: "<value omitted>": ${detail}`;

test.each([
  ["a bundle without a signer", bundle("a", authority), []],
  ["text around the blocks", bundle("a", `# ours\n${authority}end\n`), []],
  ["a signer's bundle", bundle("example.com:s:a", authority, "example.com/s"), []],
  ["nothing", bundle("a", ""), [error("at least one trust anchor must be provided")]],
  ["a duplicate", bundle("a", authority + authority), [error("duplicate trust anchor (indices [0 1])")]],
  ["a certificate that is not a CA", bundle("a", leaf + authority), [error("entry 0 does not have the CA bit set")]],
  ["headers", bundle("a", withHeaders), [error("entry 0 has PEM block headers")]],
  [
    "no certificate",
    bundle("a", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
    [error("entry 0 does not parse as X.509")],
  ],
  [
    "another block",
    bundle("a", "-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n"),
    [error("entry 0 has bad block type: KEY")],
  ],
  [
    "a colon without a signer",
    bundle("a:b", authority),
    ['metadata.name: Invalid value: "a:b": ClusterTrustBundle without signer name must not have ":" in its name'],
  ],
  [
    "a name without the signer's prefix",
    bundle("b", authority, "example.com/s"),
    [
      'metadata.name: Invalid value: "b": ClusterTrustBundle for signerName example.com/s must be named with prefix example.com:s:',
    ],
  ],
  [
    "too much",
    bundle("a", "x".repeat(1024 * 1024 + 1)),
    ["spec.trustBundle: Too long: must have at most 1048576 bytes"],
  ],
])("%s", (_, body, errors) => {
  expect(create(clusterTrustBundles, body).errors).toEqual(errors);
});

test("an update may not change the signer, and does not validate unchanged anchors", () => {
  const stored = { ...create(clusterTrustBundles, bundle("example.com:s:a", leaf, "example.com/s")).object };
  expect(update(clusterTrustBundles, stored, stored).errors).toEqual([]);
  expect(update(clusterTrustBundles, stored, bundle("other.com:s:a", leaf, "other.com/s")).errors).toEqual([
    'spec.signerName: Invalid value: "other.com/s": field is immutable',
  ]);
});
