import { parseFlags } from "@orchernetes/component";
import { flagProblems, referenceDifferences } from "@orchernetes/component/flag-reference";
import { expect, test } from "vitest";
import { apiserverFlags as flags } from "./index.ts";

const program = { name: "orch-apiserver", description: "x", version: { text: "v", raw: "v" } };

test("the default of every flag is a valid value of the flag, and the help shows every flag that is not hidden", () => {
  expect(flagProblems("orch-apiserver", flags)).toEqual([]);
});

test("names and defaults of the flags are those of the reference", () => {
  expect(referenceDifferences("orch-apiserver", flags, ["storage-backend"])).toEqual([]);
});

test.each([
  ["--secure-port=0", "want 1 to 65535"],
  ["--storage-backend=etcd2", "want one of etcd3, embedded"],
  ["--authorization-mode=RBAC,Nope", "want a list of AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node"],
  ["--authorization-mode=RBAC,RBAC", "want every mode once"],
  ["--authorization-mode=", "want at least one mode"],
  ["--service-node-port-range=32767-30000", "want two ports as LOW-HIGH, such as 30000-32767"],
  ["--oidc-issuer-url=http://a", "want an https:// URL"],
  ["--goaway-chance=0.03", "want 0 to 0.02"],
  ["--enable-admission-plugins=Nope", "want a list of NamespaceLifecycle, "],
  ["--tls-min-version=TLS12", 'want one of "", VersionTLS10, VersionTLS11, VersionTLS12, VersionTLS13'],
  ["--etcd-compaction-interval=-1s", "want at least 0 milliseconds"],
])("%s is refused", (argument, want) => {
  const result = parseFlags(program, flags, [argument]);
  expect(result.type === "errors" && result.errors.join()).toContain(want);
});
