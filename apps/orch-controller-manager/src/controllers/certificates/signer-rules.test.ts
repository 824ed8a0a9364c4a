import { expect, test } from "vitest";
import { signerRefusal } from "./signer-rules.ts";
import { type SignerName, signerNames } from "./signing-request.ts";

const { orchletServing, orchletClient, apiServerClient, legacyUnknown } = signerNames;
const names = { dnsNames: [], ipAddresses: [], emailAddresses: [], uris: [] };
const node = { commonName: "system:node:a", organizations: ["system:nodes"] };
const serving = ["digital signature", "key encipherment", "server auth"];
const client = ["digital signature", "key encipherment", "client auth"];
const host = { ...names, dnsNames: ["a"] };

test.each<[string, SignerName, object, object, readonly string[], string | undefined]>([
  ["a serving certificate", orchletServing, node, host, serving, undefined],
  ["an address", orchletServing, node, { ...names, ipAddresses: ["10.0.0.1"] }, serving, undefined],
  ["a key that cannot encipher", orchletServing, node, host, ["server auth", "digital signature"], undefined],
  ["no host", orchletServing, node, names, serving, "DNS or IP subjectAltName is required"],
  [
    "an email",
    orchletServing,
    node,
    { ...host, emailAddresses: ["a@b"] },
    serving,
    "Email subjectAltNames are not allowed",
  ],
  ["a URI", orchletServing, node, { ...host, uris: ["a:b"] }, serving, "URI subjectAltNames are not allowed"],
  [
    "another group",
    orchletServing,
    { ...node, organizations: ["x"] },
    host,
    serving,
    "subject organization is not system:nodes",
  ],
  [
    "a further group",
    orchletServing,
    { ...node, organizations: ["system:nodes", "system:masters"] },
    host,
    serving,
    "subject organization is not system:nodes",
  ],
  [
    "no node",
    orchletServing,
    { ...node, commonName: "a" },
    host,
    serving,
    "subject common name does not begin with system:node:",
  ],
  [
    "usages of a client",
    orchletServing,
    node,
    host,
    client,
    "usages did not match [digital signature key encipherment server auth]",
  ],
  ["a client certificate", orchletClient, node, names, client, undefined],
  ["without encipherment", orchletClient, node, names, ["client auth", "digital signature"], undefined],
  ["a host", orchletClient, node, host, client, "DNS subjectAltNames are not allowed"],
  [
    "a client's address",
    orchletClient,
    node,
    { ...names, ipAddresses: ["::1"] },
    client,
    "IP subjectAltNames are not allowed",
  ],
  [
    "a client's email",
    orchletClient,
    node,
    { ...names, emailAddresses: ["a@b"] },
    client,
    "Email subjectAltNames are not allowed",
  ],
  ["a client's URI", orchletClient, node, { ...names, uris: ["a:b"] }, client, "URI subjectAltNames are not allowed"],
  [
    "a superuser",
    orchletClient,
    { ...node, organizations: ["system:masters"] },
    names,
    client,
    "subject organization is not system:nodes",
  ],
  [
    "a user",
    orchletClient,
    { ...node, commonName: "a" },
    names,
    client,
    "subject common name does not begin with system:node:",
  ],
  [
    "too many usages",
    orchletClient,
    node,
    names,
    [...client, "server auth"],
    "usages did not match [client auth digital signature key encipherment]",
  ],
  [
    "too few usages",
    orchletClient,
    node,
    names,
    ["client auth"],
    "usages did not match [client auth digital signature key encipherment]",
  ],
  ["any client", apiServerClient, { commonName: "u", organizations: ["g"] }, host, ["client auth"], undefined],
  [
    "a client that serves",
    apiServerClient,
    node,
    names,
    ["server auth"],
    "invalid usage for client certificate: server auth",
  ],
  [
    "no client",
    apiServerClient,
    node,
    names,
    ["digital signature"],
    "missing required usage for client certificate: client auth",
  ],
  ["everything", legacyUnknown, { commonName: "", organizations: [] }, names, ["any"], undefined],
])("%s for %s", (_name, signer, subject, altNames, usages, want) => {
  expect(signerRefusal(signer, { subject, altNames } as never, usages)).toBe(want);
});
