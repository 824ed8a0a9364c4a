import { spawnSync } from "node:child_process";
import { daemonCommand } from "@orchernetes/testkit";
import { expect, test } from "vitest";

function start(...flags: readonly string[]): { readonly code: number | null; readonly lines: readonly string[] } {
  const [program = "", ...args] = daemonCommand("orch-apiserver", flags);
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: 20_000 });
  return { code: status, lines: stderr.trim().split("\n") };
}

test.each([
  ["an unknown flag", ["--nonsense=1"], ["nonsense"]],
  ["a bad value", ["--secure-port=many"], ["secure-port"]],
  [
    "all faults of the values together",
    [
      "--storage-backend=embedded",
      "--service-cluster-ip-range=10.0.0.0",
      "--token-auth-file=/nowhere/tokens.csv",
      "--client-ca-file=/nowhere/ca.crt",
    ],
    ["embedded-store-path", "service-cluster-ip-range", "token-auth-file", "client-ca-file"],
  ],
  [
    "versions that nobody knows",
    ["--etcd-servers=http://127.0.0.1:1", "--runtime-config=batch/v9=true,nope/v1=true"],
    [
      "--runtime-config: group version batch/v9 that has not been registered",
      "--runtime-config: unknown api groups nope",
    ],
  ],
  [
    "a server that would serve nothing",
    ["--etcd-servers=http://127.0.0.1:1", "--runtime-config=api/all=false"],
    ["--runtime-config: invalid key with only api/all=false"],
  ],
  [
    "plugins and modes that are not there",
    ["--etcd-servers=http://127.0.0.1:1", "--enable-admission-plugins=PodSecurity", "--authorization-mode=Node,ABAC"],
    [
      '--enable-admission-plugins: this server has no plugin "PodSecurity"; it has AlwaysAdmit, ',
      "--authorization-mode: this server has no mode ABAC; it has AlwaysAllow, AlwaysDeny, RBAC, Node",
    ],
  ],
])("%s ends it with code 1 and a line per fault", (_, flags, named) => {
  const { code, lines } = start(...flags);
  expect(code).toBe(1);
  expect(lines).toHaveLength(named.length);
  for (const flag of named) expect(lines.filter((line) => line.includes(flag))).toHaveLength(1);
});
