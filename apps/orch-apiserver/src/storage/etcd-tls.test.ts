import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEtcdStore, type Store } from "@orchernetes/storage";
import { type EtcdCluster, etcdAvailable, poll, startEtcdCluster } from "@orchernetes/testkit";
import {
  type CertificateAuthority,
  createCertificateAuthority,
  issueCertificate,
  issueClientCertificate,
} from "@orchernetes/tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

describe.skipIf(!etcdAvailable())("the client of an etcd that speaks TLS (needs /usr/bin/etcd)", () => {
  const dir = mkdtempSync(join(tmpdir(), "etcd-tls-"));
  const path = (name: string) => join(dir, name);
  /** Replaces the file at once, as those who renew certificates do. */
  const write = (name: string, text: string): string => {
    writeFileSync(path("new"), text, { mode: 0o600 });
    renameSync(path("new"), path(name));
    return path(name);
  };
  const stores: Store[] = [];
  let etcd: EtcdCluster;
  let ca: CertificateAuthority;
  let stranger: CertificateAuthority;
  beforeAll(async () => {
    ca = await createCertificateAuthority({ commonName: "etcd-ca" });
    stranger = await createCertificateAuthority({ commonName: "stranger" });
    const server = await issueCertificate(ca, {
      commonName: "etcd",
      hosts: ["127.0.0.1"],
      usages: ["digital signature", "key encipherment", "server auth", "client auth"],
    });
    await pair("client", ca);
    await pair("strange", stranger);
    write("stranger.crt", stranger.certPem);
    for (const name of ["none.crt", "none.key"]) write(name, "none");
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
  }, 130_000);
  afterAll(async () => {
    for (const store of stores) await store.close();
    await etcd?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** A client's pair as files of that name. */
  async function pair(name: string, issuer: CertificateAuthority): Promise<void> {
    const { certPem, keyPem } = await issueClientCertificate(issuer, { commonName: "apiserver" });
    write(`${name}.crt`, certPem);
    write(`${name}.key`, keyPem);
  }
  interface Files {
    readonly ca?: string;
    readonly pair?: string;
    readonly host?: string;
  }
  const open = async ({ ca: authority, pair: own, host = "127.0.0.1" }: Files): Promise<Store> => {
    const store = await openEtcdStore({
      servers: [`https://${host}:${etcd.members[0]?.port}`],
      dialTimeoutMs: 3000,
      requestTimeoutMs: 30_000,
      ...(authority && { caFile: path(authority) }),
      ...(own && { certFile: path(`${own}.crt`), keyFile: path(`${own}.key`) }),
    });
    stores.push(store);
    return store;
  };
  const put = (store: Store, name: string) =>
    store.commit([], [{ type: "put", key: `/registry/tls/${name}`, value: Buffer.alloc(100_000, "x") }]);

  test("reads, writes and watches", async () => {
    const store = await open({ ca: "ca.crt", pair: "client" });
    const end = new AbortController();
    const watch = store.watch("/registry/tls/", { after: await store.revision(), signal: end.signal });
    await put(store, "a");
    expect((await store.get("/registry/tls/a"))?.value.length).toBe(100_000);
    for await (const { changes } of watch) {
      expect(changes.map(({ key }) => key)).toEqual(["/registry/tls/a"]);
      break;
    }
    end.abort();
  });

  test.concurrent.each<[string, Files, RegExp]>([
    ["another authority", { ca: "stranger.crt", pair: "client" }, /unable to verify|self-signed|unable to get/],
    ["a server of another name", { ca: "ca.crt", pair: "client", host: "localhost" }, /does not match|altnames/i],
    ["a client that is unknown", { ca: "ca.crt", pair: "strange" }, /alert|closed|reset/i],
    ["no client certificate", { ca: "ca.crt" }, /alert|closed|reset/i],
    ["a pair that is none", { ca: "ca.crt", pair: "none" }, /cannot connect: .*(PEM|asn1|base64|bad)/i],
    ["a file that is not there", { ca: "missing.crt", pair: "client" }, /cannot read ".*missing.crt": ENOENT/],
  ])("%s: the reason is told", async (_, files, message) => {
    await expect(open(files)).rejects.toMatchObject({
      name: "StoreError",
      reason: "Unavailable",
      message: expect.stringMatching(message),
    });
  });

  test("a renewed pair is used by the next connection, and files that cannot be used in the meantime close no connection", async () => {
    await pair("renewed", ca);
    const store = await open({ ca: "ca.crt", pair: "renewed" });
    const after = await store.revision();
    const end = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const { changes } of store.watch("/registry/tls/", { after, signal: end.signal }))
        for (const { key } of changes) seen.push(key);
    })();
    // A pair that etcd does not accept: the connection that is there goes on, the next ones fail.
    await pair("renewed", stranger);
    await put(store, "b");
    const [member] = etcd.members;
    await member?.kill9();
    write("renewed.crt", "garbage");
    await member?.start();
    await etcd.ready();
    await expect(store.health(AbortSignal.timeout(500))).rejects.toMatchObject({ name: "StoreError" });
    await pair("renewed", ca);
    await poll({ what: "a write", timeoutMs: 30_000 }, async () => (await put(store, "c")).type === "committed");
    await poll({ what: "the change", timeoutMs: 30_000 }, () => seen.includes("/registry/tls/c"));
    end.abort();
    await watching;
    expect(seen.slice(0, 2)).toEqual(["/registry/tls/b", "/registry/tls/c"]);
  }, 120_000);
});
