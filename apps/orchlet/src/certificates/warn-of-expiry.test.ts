import { X509Certificate } from "node:crypto";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { createCertificateAuthority, issueClientCertificate } from "@orchernetes/tls";
import { expect, test } from "vitest";
import { expiryWarning, warnOfExpiry } from "./warn-of-expiry.ts";

const dayMs = 24 * 3_600_000;
const start = Date.parse("2026-01-01T00:00:00Z");

async function certificate(days: number): Promise<X509Certificate> {
  const ca = await createCertificateAuthority({ commonName: "a" });
  const pair = await issueClientCertificate(ca, { commonName: "n", now: () => start, validityMs: days * dayMs });
  return new X509Certificate(pair.certPem);
}

test.each([
  ["most of its time left", false, 50, undefined],
  ["less than a third of its time left", false, 75, /expires soon; replace its files/],
  ["expired", false, 101, /has expired; replace its files/],
  ["less than a third left, but is renewed", true, 85, undefined],
  ["not been renewed in time", true, 95, /expires soon and could not be renewed/],
] as const)("the warning about a certificate that has %s", async (_, isRenewed, day, want) => {
  const warning = expiryWarning(await certificate(100), isRenewed, start + day * dayMs);
  if (want === undefined) expect(warning).toBeUndefined();
  else expect(warning).toMatch(want);
});

test("the warning is logged once a day, and no longer after the certificate was replaced", async () => {
  const clock = new FakeClock("2026-01-01T00:00:00Z");
  const warnings: unknown[] = [];
  const logger = { ...silentLogger, warn: (_: string, values?: object) => void warnings.push(values) };
  const stop = new AbortController();
  let leaf = await certificate(100);
  const done = warnOfExpiry([{ use: "client", isRenewed: false, leaf: () => leaf }], {
    clock,
    logger,
    signal: stop.signal,
  });
  await clock.advanceAsync(69 * dayMs);
  expect(warnings).toEqual([]);
  await clock.advanceAsync(3 * dayMs);
  expect(warnings.length).toBeGreaterThanOrEqual(2);
  expect(warnings.length).toBeLessThanOrEqual(3);
  expect(warnings[0]).toMatchObject({ use: "client", subject: "CN=n" });
  leaf = await certificate(1000);
  const before = warnings.length;
  await clock.advanceAsync(5 * dayMs);
  expect(warnings.length).toBe(before);
  stop.abort();
  await done;
});
