import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { deletions, flowDeleter } from "./connection-tracking.ts";

test("entries are deleted by destination, and by endpoint where only that is gone", () => {
  const flow = { protocol: "udp", address: "10.96.0.10", port: 53, endpoint: undefined } as const;
  const endpoint = { address: "10.64.0.7", port: 5353 };
  expect(
    deletions([
      flow,
      flow,
      { ...flow, endpoint },
      { ...flow, address: "fd00::a" },
      { ...flow, address: undefined, port: 30_053 },
      { ...flow, address: undefined, port: 30_053, endpoint },
    ]),
  ).toBe(`-D -f ipv4 -p udp --orig-port-dst 53 --orig-dst 10.96.0.10
-D -f ipv4 -p udp --orig-port-dst 53 --orig-dst 10.96.0.10 --dst-nat 10.64.0.7
-D -f ipv6 -p udp --orig-port-dst 53 --orig-dst fd00::a
-D -f ipv4 -p udp --orig-port-dst 30053
-D -f ipv6 -p udp --orig-port-dst 30053
-D -f ipv4 -p udp --orig-port-dst 30053 --dst-nat 10.64.0.7
`);
});

const flow = { protocol: "udp", address: "10.96.0.10", port: 53, endpoint: undefined } as const;

test("nothing is run for nothing, and a missing program is an error", async () => {
  await flowDeleter(["/gone"])([]);
  await expect(flowDeleter(["/gone"])([flow])).rejects.toThrow("ENOENT");
});

describe("a conntrack that reads no commands", () => {
  const dir = mkdtempSync(join(tmpdir(), "conntrack-"));
  afterAll(() => rmSync(dir, { recursive: true }));
  const log = join(dir, "log");
  /** What version 1.4.6 does, with what it says when it has deleted. */
  const old = (says: string, code: number) => [
    "sh",
    "-c",
    `shift; echo "$*" >> ${log}; case "$1" in --load-file) echo "conntrack: unrecognized option '--load-file'" >&2; exit 2;; esac; echo "conntrack v1.4.6 (conntrack-tools): ${says}" >&2; exit ${code}`,
    "sh",
  ];
  const runs = () => readFileSync(log, "utf8").trimEnd().split("\n");

  test("runs once for each deletion, is asked for its version once, and may find nothing", async () => {
    const remove = flowDeleter(old("0 flow entries have been deleted.", 1));
    await remove([flow, { ...flow, port: 54 }]);
    await remove([{ ...flow, port: 55 }]);
    expect(runs()).toEqual([
      "--load-file -",
      ...[53, 54, 55].map((port) => `-D -f ipv4 -p udp --orig-port-dst ${port} --orig-dst 10.96.0.10`),
    ]);
  });

  test("fails with its own message", async () => {
    await expect(flowDeleter(old("Operation failed: Operation not permitted", 1))([flow])).rejects.toThrow(
      "Operation not permitted",
    );
  });
});
