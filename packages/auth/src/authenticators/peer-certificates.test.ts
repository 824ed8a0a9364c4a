import { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { FakeClock } from "@orchernetes/kernel";
import { createCertificateAuthority, issueClientCertificate } from "@orchernetes/tls";
import { expect, test } from "vitest";
import { PeerCertificates } from "./peer-certificates.ts";

const [kept, removed] = await Promise.all([
  createCertificateAuthority({ commonName: "kept" }),
  createCertificateAuthority({ commonName: "removed" }),
]);
const day = 24 * 3600 * 1000;

/** A client of an authority, and those who judge it. */
async function judged(lastsMs = 365 * day) {
  const { certPem } = await issueClientCertificate(removed, { commonName: "alice", validityMs: lastsMs });
  const certificate = new X509Certificate(certPem);
  const request = { socket: { getPeerX509Certificate: () => certificate } as unknown as Socket };
  const state = { roots: [kept.certificate, removed.certificate] };
  const clock = new FakeClock(new Date());
  const peers = new PeerCertificates(() => state.roots, clock);
  const verdict = () => peers.verdictOf(request).type;
  return { state, clock, verdict, hasLostTrust: () => peers.hasLostTrust(request.socket) };
}

test("a connection is lost when its authority is taken out, whether or not it asked again in between", async () => {
  for (const asksAgain of [false, true]) {
    const { state, verdict, hasLostTrust } = await judged();
    expect([verdict(), hasLostTrust()]).toEqual(["verified", false]);
    state.roots = [kept.certificate];
    if (asksAgain) expect(verdict()).toBe("invalid");
    expect(hasLostTrust()).toBe(true);
  }
});

test("a connection whose certificate has ended is lost with the next change, not kept for what it began before", async () => {
  const { clock, verdict, hasLostTrust } = await judged(day);
  expect(verdict()).toBe("verified");
  clock.advance(2 * day);
  expect([verdict(), hasLostTrust()]).toEqual(["invalid", true]);
});

test("a connection that proved nobody has nothing to lose", async () => {
  const { state, verdict, hasLostTrust } = await judged();
  state.roots = [kept.certificate];
  expect([verdict(), hasLostTrust()]).toEqual(["invalid", false]);
});
