import { X509Certificate } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certificateIdentity, issueClientCertificate, loadCertificateAuthority } from "@orchernetes/tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiserverCommand, etcdCommand } from "./daemon-commands.ts";
import { layout } from "./layout.ts";
import { ensurePki } from "./pki.ts";
import { defaultProfile } from "./profiles/default.ts";
import type { ClusterState } from "./state.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-pki-"));
afterAll(() => rmSync(dir, { recursive: true }));
const files = layout(dir);
const nodes = [
  { name: "node-1", address: "10.0.1.1" },
  { name: "node-2", address: "10.0.2.1" },
];
const variant = { ...defaultProfile.pki, joinsNodes: false };
const options = { nodes, serviceIp: "10.96.0.1", etcd: true, variant };
beforeAll(() => ensurePki(files, options));

const certificate = (name: string) => new X509Certificate(readFileSync(files.certificate(name).certFile));
const isBy = (name: string, authority: string) => certificate(name).verify(certificate(authority).publicKey);

test("only the administrator is in group system:masters", () => {
  const clients = ["admin", "apiserver-orchlet-client", "orch-scheduler", "orch-controller-manager", "node-1"];
  const groups = clients.map((name) => certificateIdentity(certificate(name)).organizations.join());
  expect(groups).toEqual(["system:masters", "", "", "", "system:nodes"]);
  expect(certificateIdentity(certificate("apiserver-orchlet-client")).commonName).toBe("orch-apiserver-orchlet-client");
});

test.each([
  ["orchlet-ca", ["node-1-serving", "node-2-serving"]],
  ["etcd-ca", ["etcd-server", "etcd-peer", "apiserver-etcd-client"]],
  ["ca", ["apiserver", "orch-scheduler-serving", "admin", "node-1", "apiserver-orchlet-client"]],
  ["front-proxy-ca", ["front-proxy-client"]],
])("%s signs %j, and no other authority does", (authority, names) => {
  const others = ["ca", "orchlet-ca", "etcd-ca", "front-proxy-ca"].filter((other) => other !== authority);
  for (const name of names)
    expect([name, isBy(name, authority), ...others.map((other) => isBy(name, other))]).toEqual([
      name,
      true,
      false,
      false,
      false,
    ]);
});

test("what a node serves names the node and the address that is dialled", () => {
  const serving = certificate("node-2-serving");
  expect(certificateIdentity(serving)).toEqual({ commonName: "system:node:node-2", organizations: ["system:nodes"] });
  expect([serving.checkHost("node-2"), serving.checkIP("10.0.2.1")]).toEqual(["node-2", "10.0.2.1"]);
  const others = [serving.checkHost("node-1"), serving.checkHost("localhost"), serving.checkIP("10.0.1.1")];
  expect([...others, serving.checkIP("127.0.0.1")]).toEqual([undefined, undefined, undefined, undefined]);
});

test("the metrics server is called by the name of its service, and listens at the address of a node", () => {
  const serving = certificate("metrics-server-serving");
  const names = [serving.checkHost("metrics-server.orch-system.svc"), serving.checkIP("10.0.1.1")];
  expect(names).toEqual(["metrics-server.orch-system.svc", "10.0.1.1"]);
  expect(certificate("orch-scheduler-serving").checkIP("10.0.1.1")).toBeUndefined();
  expect(certificateIdentity(certificate("metrics-server"))).toEqual({
    commonName: "system:metrics-server",
    organizations: [],
  });
});

test.each([
  ["10.0.1.1", "--enable-aggregator-routing=true"],
  [undefined, "--enable-aggregator-routing=false"],
])("with a node at %s the API server has %s", (address, flag) => {
  const node = { name: "node-1", ...(address !== undefined && { address }) };
  const state = { store: "embedded", port: 1, nodes: [node] } as unknown as ClusterState;
  expect(apiserverCommand(files, state)).toContain(flag);
});

test("nodes that join with a token get no client certificate from this tool", async () => {
  const joining = layout(join(dir, "joining"));
  await ensurePki(joining, { ...options, variant: defaultProfile.pki });
  expect(existsSync(joining.certificate("node-1-serving").certFile)).toBe(true);
  expect(existsSync(joining.certificate("node-1").certFile)).toBe(false);
});

test("valid certificates are kept; outdated ones of an existing cluster are replaced", async () => {
  const before = readFileSync(files.certificate("node-1").certFile, "utf8");
  const { certFile, keyFile } = files.certificate("ca");
  const ca = loadCertificateAuthority(
    { certPem: readFileSync(certFile, "utf8"), keyPem: readFileSync(keyFile, "utf8") },
    "ca",
  );
  const former = await issueClientCertificate(ca, {
    commonName: "orch-apiserver-orchlet-client",
    organizations: ["system:masters"],
  });
  const client = files.certificate("apiserver-orchlet-client");
  writeFileSync(client.certFile, former.certPem);
  writeFileSync(client.keyFile, former.keyPem);
  await ensurePki(files, options);
  expect(readFileSync(files.certificate("node-1").certFile, "utf8")).toBe(before);
  expect(certificateIdentity(certificate("apiserver-orchlet-client")).organizations).toEqual([]);
});

test("etcd speaks TLS with client certificates, to its peers too, and the API server has one", () => {
  const state = { store: "etcd", port: 1, etcdPort: 2, etcdPeerPort: 3, nodes: [] } as unknown as ClusterState;
  const etcd = etcdCommand(files, state);
  expect(etcd).toContain("--client-cert-auth");
  expect(etcd).toContain("--peer-client-cert-auth");
  expect(etcd.filter((flag) => flag.includes("http://"))).toEqual([]);
  const server = apiserverCommand(files, state);
  expect(server).toContain("--etcd-servers=https://127.0.0.1:2");
  expect(server).toContain(`--etcd-certfile=${files.certificate("apiserver-etcd-client").certFile}`);
  expect(server).toContain(`--orchlet-certificate-authority=${files.certificate("orchlet-ca").certFile}`);
});
