import { Agent as SecureAgent } from "node:https";
import { expect, test } from "vitest";
import { createAgents } from "./agents.ts";

const options = { secure: true, maxConnections: 3 };

test("all connections to a server share one secure context", () => {
  const material = { insecure: true };
  const { pooled, single, tls } = createAgents(material, options);
  expect(tls).toBe(material);
  if (!(pooled instanceof SecureAgent && single instanceof SecureAgent)) throw new Error("expected agents for https");
  expect(pooled.options.secureContext).toEqual(expect.objectContaining({ context: expect.anything() }));
  expect(single.options.secureContext).toBe(pooled.options.secureContext);
  expect([pooled.options.maxSockets, single.options.maxSockets]).toEqual([3, Number.POSITIVE_INFINITY]);
});

test("material that is not PEM is rejected at once", () => {
  expect(() => createAgents({ cert: "no certificate", key: "no key" }, options)).toThrow(/PEM/);
});

test("connections without TLS use no material", () => {
  const { pooled } = createAgents({ cert: "no certificate" }, { ...options, secure: false });
  expect(pooled).not.toBeInstanceOf(SecureAgent);
});
