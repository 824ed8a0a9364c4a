import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createCertificateAuthority, issueServerCertificate } from "./certificate-authority.ts";
import { reloadingSecureContext } from "./reloading-secure-context.ts";

let directory = "";
const controller = { current: new AbortController() };
beforeEach(async () => {
  controller.current = new AbortController();
  directory = await mkdtemp(join(tmpdir(), "reload-"));
});
afterEach(async () => {
  controller.current.abort();
  await rm(directory, { recursive: true });
});

test("new files take effect; after a mismatched pair the former one stays in use", async () => {
  const ca = await createCertificateAuthority({ commonName: "ca" });
  const pair = (commonName: string) => issueServerCertificate(ca, { commonName, hosts: ["localhost"] });
  const certFile = join(directory, "s.crt");
  const keyFile = join(directory, "s.key");
  const write = async (cert: string, key: string) => {
    await writeFile(certFile, cert);
    await writeFile(keyFile, key);
  };
  const [first, second, third] = await Promise.all([pair("one"), pair("two"), pair("three")]);
  await write(first.certPem, first.keyPem);
  const events: string[] = [];
  const context = await reloadingSecureContext({
    certFile,
    keyFile,
    intervalMs: 10,
    signal: controller.current.signal,
    onReload: ({ pair: { chain } }) => events.push(chain[0]?.subject ?? ""),
    onError: (error) => events.push((error as Error).message.includes("does not belong") ? "mismatch" : String(error)),
  });
  const subject = () => context.current().pair.chain[0]?.subject;
  expect(subject()).toBe("CN=one");
  await write(second.certPem, third.keyPem);
  await expect.poll(() => events.includes("mismatch")).toBe(true);
  expect(subject()).toBe("CN=one");
  await writeFile(keyFile, second.keyPem);
  await expect.poll(subject).toBe("CN=two");
  expect(events.filter((event) => event.startsWith("CN="))).toEqual(["CN=two"]);
});
