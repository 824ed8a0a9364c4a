import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EtcdCluster, etcdAvailable, startEtcdCluster } from "@orchernetes/testkit";
import { createCertificateAuthority, issueCertificate, issueClientCertificate } from "@orchernetes/tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { orchEtcd, temporaryFolder } from "./support.ts";

describe.skipIf(!etcdAvailable())("etcd that speaks TLS (needs /usr/bin/etcd)", () => {
  const folder = temporaryFolder();
  let etcd: EtcdCluster;
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const path = (name: string) => join(folder, name);
  const members = (ca: string, cert: string, key: string) =>
    orchEtcd(
      "members",
      "--etcd-servers",
      etcd.urls.join(","),
      "--timeout",
      "2",
      "-o",
      "json",
      ...files({ ca, cert, key }),
    );

  beforeAll(async () => {
    const ca = await createCertificateAuthority({ commonName: "etcd-ca" });
    const stranger = await createCertificateAuthority({ commonName: "stranger" });
    const usages = ["digital signature", "key encipherment", "server auth", "client auth"] as const;
    const server = await issueCertificate(ca, { commonName: "etcd", hosts: ["127.0.0.1"], usages: [...usages] });
    const client = await issueClientCertificate(ca, { commonName: "administrator" });
    const other = await issueClientCertificate(stranger, { commonName: "administrator" });
    write("client.crt", client.certPem);
    write("client.key", client.keyPem);
    write("other.crt", other.certPem);
    write("other.key", other.keyPem);
    write("stranger.crt", stranger.certPem);
    write("none", "none");
    etcd = await startEtcdCluster({
      members: 1,
      tls: {
        caFile: write("ca.crt", ca.certPem),
        certFile: write("server.crt", server.certPem),
        keyFile: write("server.key", server.keyPem),
        clientCertFile: path("client.crt"),
        clientKeyFile: path("client.key"),
      },
    });
  }, 120_000);
  afterAll(() => etcd?.stop());

  test("the right files", async () => {
    const { code, out } = await members("ca.crt", "client.crt", "client.key");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toHaveLength(1);
  });

  test.each([
    ["another authority", "stranger.crt", "client.crt", "client.key", /self.signed|unable to verify|certificate/i],
    ["a client of another authority", "ca.crt", "other.crt", "other.key", /cannot call .*MemberList/],
    ["a key of another certificate", "ca.crt", "client.crt", "other.key", /key values mismatch/i],
    ["a certificate that is none", "ca.crt", "none", "client.key", /PEM|no start line/i],
    ["an authority that is none", "none", "client.crt", "client.key", /self.signed|unable to verify|certificate/i],
    ["an authority that does not exist", "missing", "client.crt", "client.key", /cannot read ".*missing": ENOENT/],
    ["a certificate that does not exist", "ca.crt", "missing", "client.key", /cannot read ".*missing": ENOENT/],
    ["no client certificate", "ca.crt", "", "", /cannot call .*MemberList/],
  ])("%s: the error says what is wrong, in time", async (_, ca, cert, key, message) => {
    const started = performance.now();
    const { code, err } = await members(ca, cert, key);
    expect(code).toBe(1);
    expect(err).toMatch(message);
    expect(performance.now() - started).toBeLessThan(8000);
  });

  function files(names: { readonly ca: string; readonly cert: string; readonly key: string }): string[] {
    const { ca, cert, key } = names;
    return [
      ...(ca === "" ? [] : ["--etcd-cafile", path(ca)]),
      ...(cert === "" ? [] : ["--etcd-certfile", path(cert)]),
      ...(key === "" ? [] : ["--etcd-keyfile", path(key)]),
    ];
  }
});
