import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noPacketFilter } from "@orchernetes/proxy/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
      expect.stringMatching(/^--load-file \S+$/),
      ...[53, 54, 55].map((port) => `-D -f ipv4 -p udp --orig-port-dst ${port} --orig-dst 10.96.0.10`),
    ]);
  });

  test("fails with its own message", async () => {
    await expect(flowDeleter(old("Operation failed: Operation not permitted", 1))([flow])).rejects.toThrow(
      "Operation not permitted",
    );
  });
});

const reason = noPacketFilter();
describe.skipIf(reason !== undefined)(`the kernel${reason === undefined ? "" : `: skipped, ${reason}`}`, () => {
  let holder: ChildProcess;
  let inside: readonly string[] = [];
  beforeAll(async () => {
    holder = spawn("unshare", ["-n", "sh", "-c", "echo ready; exec sleep 600"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(holder.stdout ?? holder, "data");
    inside = ["nsenter", `--net=/proc/${holder.pid}/ns/net`];
  });
  afterAll(() => void holder.kill("SIGKILL"));

  const conntrack = (...args: readonly string[]): string => {
    const [program = "", ...rest] = [...inside, "conntrack", ...args];
    return execFileSync(program, rest, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  };
  /** A client's entry: to a service, which was replaced by an endpoint. */
  const add = (service: string, endpoint: string, from: string) =>
    conntrack(
      ...["-I", "-p", "udp", "--timeout", "100", "-s", "10.64.0.9", "--sport", from, "-d", service, "--dport", "53"],
      "--dst-nat",
      `${endpoint}:53`,
    );

  test("forgets the entries of services and endpoints that are gone, and keeps the others", async () => {
    add("10.96.0.10", "10.64.0.7", "4000");
    add("10.96.0.11", "10.64.0.7", "4001");
    add("10.96.0.12", "10.64.0.7", "4002");
    await flowDeleter(inside)([
      flow,
      { ...flow, address: "10.96.0.11", endpoint: { address: "10.64.0.7", port: 53 } },
      { ...flow, address: "10.96.0.12", endpoint: { address: "10.64.0.8", port: 53 } },
      { ...flow, address: "10.96.0.13" },
    ]);
    const left = [...conntrack("-L").matchAll(/ dst=(10\.96\.\S+)/g)].map(([, service]) => service);
    expect(left).toEqual(["10.96.0.12"]);
  });
});
