import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCertificateRequest } from "@orchernetes/tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SecureRequest } from "../../api-probe.ts";
import { apiserverCommand, controllerManagerCommand, orchletConfig } from "../../daemon-commands.ts";
import { type Layout, layout } from "../../layout.ts";
import type { ClusterState, NodeState } from "../../state.ts";
import { profileOf } from "../index.ts";
import { hardenedProfile } from "./index.ts";
import { approveServing, type ServingRequest, servingRefusal } from "./serving-requests.ts";

let dir: string;
let files: Layout;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-hardened-"));
  files = layout(join(dir, "data"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const node = { name: "node-1", address: "10.0.1.1", port: 1 } as NodeState;
const state = { store: "etcd", port: 1, etcdPort: 2, etcdPeerPort: 3, nodes: [node] } as unknown as ClusterState;
const program = (name: string) => [name];

test("every file of the profile is readable by its owner alone; the key is made once", () => {
  hardenedProfile.prepare(files);
  const names = ["admission.yaml", "audit-policy.yaml", "encryption.yaml"];
  const modes = () => names.map((name) => statSync(files.profileFile("hardened", name)).mode & 0o777);
  expect([...modes(), statSync(files.profile("hardened")).mode & 0o777]).toEqual([0o600, 0o600, 0o600, 0o700]);
  const file = files.profileFile("hardened", "encryption.yaml");
  const key = readFileSync(file, "utf8");
  chmodSync(file, 0o644);
  hardenedProfile.prepare(files);
  expect([readFileSync(file, "utf8"), ...modes()]).toEqual([key, 0o600, 0o600, 0o600]);
  const { resources } = JSON.parse(key);
  expect(Buffer.from(resources[0].providers[0].secretbox.keys[0].secret, "base64")).toHaveLength(32);
});

test("two clusters have two keys", () => {
  const other = layout(join(dir, "other"));
  for (const one of [files, other]) hardenedProfile.prepare(one);
  const [a, b] = [files, other].map((one) => readFileSync(one.profileFile("hardened", "encryption.yaml"), "utf8"));
  expect(a).not.toBe(b);
});

test("a folder keeps the profile that it was made with", () => {
  expect([profileOf(files, undefined).name, profileOf(files, "hardened").name]).toEqual(["default", "hardened"]);
  hardenedProfile.prepare(files);
  expect(profileOf(files, undefined).name).toBe("hardened");
  expect(() => profileOf(files, "default")).toThrow(/was made with profile hardened; want hardened/);
  const plain = layout(join(dir, "plain"));
  mkdirSync(plain.dataDir);
  writeFileSync(plain.adminConfig, "");
  expect(profileOf(plain, undefined).name).toBe("default");
  expect(() => profileOf(plain, "hardened")).toThrow(/was made with profile default; want default/);
});

test("no flag of a daemon is given twice, and the profile's values count", () => {
  for (const command of [
    apiserverCommand(files, state, program, hardenedProfile),
    controllerManagerCommand(files, state, program, hardenedProfile),
  ]) {
    const names = command.map((flag) => flag.split("=")[0]);
    expect(new Set(names).size).toBe(names.length);
    expect(command).toContain("--profiling=false");
  }
  expect(apiserverCommand(files, state, program, hardenedProfile)).toContain(
    "--enable-admission-plugins=NodeRestriction,AlwaysPullImages,EventRateLimit,DenyServiceExternalIPs",
  );
});

test("a node's agent gets its certificates from the cluster", () => {
  const config = JSON.parse(JSON.stringify(orchletConfig(files, node, hardenedProfile)));
  expect(config).toMatchObject({ serverTLSBootstrap: true, rotateCertificates: true, podPidsLimit: 1024 });
  expect([config.tlsCertFile, config.tlsPrivateKeyFile]).toEqual([undefined, undefined]);
});

async function request(
  names: { readonly commonName?: string; readonly hosts?: readonly string[] } = {},
  spec: Partial<ServingRequest["spec"]> = {},
): Promise<ServingRequest> {
  const { commonName = "system:node:node-1", hosts = ["node-1", "10.0.1.1"] } = names;
  const { csrPem } = await createCertificateRequest({ commonName, organizations: ["system:nodes"], hosts });
  return {
    metadata: { name: "csr-1" },
    spec: {
      request: Buffer.from(csrPem).toString("base64"),
      signerName: "orchernetes.io/orchlet-serving",
      username: "system:node:node-1",
      usages: ["digital signature", "server auth"],
      ...spec,
    },
  };
}

test.each<[string, () => Promise<ServingRequest>, RegExp | undefined]>([
  ["of the node for itself", () => request(), undefined],
  ["for another node's address", () => request({ hosts: ["node-1", "10.0.1.1", "10.0.2.1"] }), /"10.0.2.1" is no name/],
  ["for the API server's name", () => request({ hosts: ["orchernetes", "10.0.1.1"] }), /"orchernetes" is no name/],
  ["for no address", () => request({ hosts: ["node-1"] }), /names no address/],
  ["for another identity", () => request({ commonName: "system:node:node-2" }), /its subject is "system:node:node-2"/],
  ["of a user who is no node", () => request({}, { username: "alice" }), /"alice" is none of the cluster's nodes/],
  ["of a node that there is not", () => request({}, { username: "system:node:node-9" }), /is none of the cluster's/],
  ["that is no request", () => request({}, { request: "eA==" }), /PEM block type/],
  ["of a client", () => request({}, { usages: ["client auth"] }), /usage "client auth"/],
])("a request %s", async (_name, make, refusal) => {
  const found = servingRefusal(await make(), [node]);
  if (refusal === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(refusal);
});

test("only undecided requests of the cluster's nodes are approved; one that is gone by then is no error", async () => {
  const decided = { ...(await request()), status: { conditions: [{ type: "Denied" }] } };
  const foreign = await request({}, { signerName: "example.com/own" });
  const bad = await request({ hosts: ["node-1", "10.0.2.1"] });
  const good = await request();
  const items = [decided, foreign, bad, good].map((one, i) => ({ ...one, metadata: { name: `csr-${i}` } }));
  const sent: SecureRequest[] = [];
  const call = async (asked: SecureRequest) => {
    sent.push(asked);
    return asked.method === "GET" ? { status: 200, body: JSON.stringify({ items }) } : { status: 404, body: "" };
  };
  await approveServing({ nodes: [node], call });
  expect(sent.slice(1).map(({ path }) => path)).toEqual([
    "/apis/certificates.o8s.io/v1/certificatesigningrequests/csr-3/approval",
  ]);
  await expect(approveServing({ nodes: [node], call: async () => ({ status: 403, body: "no" }) })).rejects.toThrow(
    "listing certificate requests: the API server answered 403: no",
  );
});
