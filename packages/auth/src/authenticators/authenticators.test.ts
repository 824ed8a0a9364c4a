import { X509Certificate } from "node:crypto";
import { FakeClock } from "@orchernetes/kernel";
import {
  type CertificatePair,
  createCertificateAuthority,
  issueClientCertificate,
  issueServerCertificate,
} from "@orchernetes/tls";
import { expect, test } from "vitest";
import { requestAuthenticators } from "../request-authenticators.ts";
import type { AuthRequest } from "./authenticator.ts";
import { certificateAuthenticator } from "./certificate.ts";
import { PeerCertificates } from "./peer-certificates.ts";
import { requestHeaderAuthenticator } from "./request-header.ts";

const dayMs = 24 * 3600_000;
const [ca, otherCa] = await Promise.all([1, 2].map(() => createCertificateAuthority({ commonName: "ca" })));
if (!ca || !otherCa) throw new Error("no authorities");
const [alice, brief, nameless, stranger, server] = await Promise.all([
  issueClientCertificate(ca, { commonName: "alice", organizations: ["dev", "ops"] }),
  issueClientCertificate(ca, { commonName: "alice", validityMs: dayMs }),
  issueClientCertificate(ca, { commonName: "", organizations: ["ops"] }),
  issueClientCertificate(otherCa, { commonName: "alice" }),
  issueServerCertificate(ca, { commonName: "alice", hosts: ["alice"] }),
]);

const roots = [ca.certificate];
const setup = () => {
  const clock = new FakeClock(new Date());
  return { clock, peers: new PeerCertificates(() => roots, clock) };
};

/** A request on a connection with this certificate. */
function request(pair: CertificatePair | undefined, ...rawHeaders: readonly string[]): AuthRequest {
  const certificate = pair && new X509Certificate(pair.certPem);
  const headers: Record<string, string> = {};
  for (let i = 0; i < rawHeaders.length; i += 2) headers[rawHeaders[i]?.toLowerCase() ?? ""] = rawHeaders[i + 1] ?? "";
  return { headers, rawHeaders, socket: { getPeerX509Certificate: () => certificate } } as unknown as AuthRequest;
}

const rejected = { type: "rejected", reason: expect.stringMatching(/^x509: /) };

test.each<[string, CertificatePair | undefined, number, object]>([
  ["no certificate", undefined, 0, { type: "noOpinion" }],
  ["a valid one", alice, 0, { type: "authenticated", user: { name: "alice", groups: ["dev", "ops"], extra: {} } }],
  ["an expired one", brief, 2, rejected],
  ["one that is not valid yet", brief, -2, rejected],
  ["one of another authority of the same name", stranger, 0, rejected],
  ["one for servers", server, 0, rejected],
  ["one without a name", nameless, 0, { type: "noOpinion" }],
])("client certificate: %s", async (_name, pair, days, want) => {
  const { clock, peers } = setup();
  clock.setNow(new Date(clock.now().getTime() + days * dayMs));
  const used: number[] = [];
  const authenticator = certificateAuthenticator({ peers, clock, onUse: (seconds) => used.push(seconds) });
  expect(await authenticator.authenticate(request(pair))).toEqual(want);
  expect(used.every((seconds) => seconds > 0)).toBe(true);
  expect(used).toHaveLength(pair === undefined || want === rejected ? 0 : 1);
});

test.each<[string, readonly string[], CertificatePair | undefined, readonly string[], object]>([
  ["no certificate", [], undefined, ["X-Remote-User", "bob"], { type: "noOpinion" }],
  [
    "any name where none is asked for",
    [],
    alice,
    ["X-Remote-User", "bob", "X-Remote-Group", "a", "X-Remote-Group", ""],
    { type: "authenticated", user: { name: "bob", groups: ["a"], extra: {} } },
  ],
  ["another name", ["front"], alice, ["X-Remote-User", "bob"], rejected],
  ["another authority", ["alice"], stranger, ["X-Remote-User", "bob"], rejected],
  ["a certificate for servers", ["alice"], server, ["X-Remote-User", "bob"], rejected],
  ["no user", ["alice"], alice, ["X-Remote-Group", "ops"], { type: "noOpinion" }],
  ["an empty user", ["alice"], alice, ["X-Remote-User", ""], { type: "noOpinion" }],
  [
    "a name that is not UTF-8",
    ["alice"],
    alice,
    ["X-Remote-User", "\xff"],
    { type: "rejected", reason: 'header "x-remote-user" is not valid UTF-8' },
  ],
])("front proxy: %s", async (_name, allowedNames, pair, fields, want) => {
  const authenticator = requestHeaderAuthenticator({
    peers: setup().peers,
    allowedNames,
    usernameHeaders: ["x-remote-user"],
    groupHeaders: ["x-remote-group"],
    extraHeaderPrefixes: ["x-remote-extra-"],
  });
  expect(await authenticator.authenticate(request(pair, ...fields))).toEqual(want);
});

test("the authenticators of a server are asked in order: front proxy, certificate, token", async () => {
  const { clock, peers } = setup();
  const authenticators = requestAuthenticators({
    frontProxies: {
      peers,
      allowedNames: [],
      usernameHeaders: ["x-remote-user"],
      groupHeaders: [],
      extraHeaderPrefixes: [],
    },
    clients: peers,
    tokens: {
      authenticateToken: (name) => ({ type: "authenticated", user: { name, groups: [], extra: {} } }),
    },
    clock,
  });
  const all = request(alice, "X-Remote-User", "bob", "Authorization", "Bearer carol");
  const results = await Promise.all(authenticators.map((authenticator) => authenticator.authenticate(all)));
  expect(results.map((result) => result.type === "authenticated" && result.user.name)).toEqual([
    "bob",
    "alice",
    "carol",
  ]);
  expect(requestAuthenticators({ clock })).toEqual([]);
});
