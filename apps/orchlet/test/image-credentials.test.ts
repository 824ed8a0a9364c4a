import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeApiServer, type FakeObject, startFakeApiServer } from "@orchernetes/client/testing";
import { credentialProviderConfigSchema } from "@orchernetes/config";
import { createCriClient } from "@orchernetes/cri";
import { containerdUnavailable, startContainerd, type TestContainerd } from "@orchernetes/cri/testing";
import { removeCgroups, unmountAndRemove } from "@orchernetes/host";
import { silentLogger } from "@orchernetes/kernel";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Agent, startAgent } from "../src/server.ts";
import { testConfig } from "../src/testing/config.ts";
import { testPod } from "../src/testing/pods.ts";

const missing = await containerdUnavailable();
const architecture = process.arch === "x64" ? "amd64" : process.arch;
const digestOf = (bytes: Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** A registry that has one image, with one empty layer, for whoever knows the password. */
async function startRegistry(user: string, password: string): Promise<Server> {
  const layer = Buffer.alloc(1024);
  const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));
  const config = json({
    architecture,
    os: "linux",
    config: { Cmd: ["/none"] },
    rootfs: { type: "layers", diff_ids: [digestOf(layer)] },
  });
  const part = (mediaType: string, bytes: Buffer) => ({ mediaType, digest: digestOf(bytes), size: bytes.length });
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const manifest = json({
    schemaVersion: 2,
    mediaType,
    config: part("application/vnd.oci.image.config.v1+json", config),
    layers: [part("application/vnd.oci.image.layer.v1.tar", layer)],
  });
  const contents = new Map([layer, config, manifest].map((bytes) => [digestOf(bytes), bytes]));
  const wanted = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const server = createServer((request, response) => {
    if (request.headers.authorization !== wanted) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="registry"' }).end();
      return;
    }
    const [, kind, name = ""] = /^\/v2\/(?:team\/)?app\/(manifests|blobs)\/(.+)$/.exec(request.url ?? "") ?? [];
    const found = kind === "manifests" && name === "1" ? manifest : contents.get(name);
    if (found === undefined) {
      response.writeHead(request.url === "/v2/" ? 200 : 404).end();
      return;
    }
    response.writeHead(200, {
      "content-type": kind === "manifests" ? mediaType : "application/octet-stream",
      "content-length": found.length,
      "docker-content-digest": digestOf(found),
    });
    response.end(request.method === "HEAD" ? undefined : found);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

describe.skipIf(missing !== undefined)(
  `images of a private registry on a real containerd${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    let dir: string;
    let containerd: TestContainerd;
    let api: FakeApiServer;
    let agent: Agent;
    let registry: Server;
    let host: string;

    beforeAll(async () => {
      dir = mkdtempSync(join(tmpdir(), "o8s-registry-"));
      for (const name of ["root", "bin"]) mkdirSync(join(dir, name));
      registry = await startRegistry("alice", "secret");
      host = `127.0.0.1:${(registry.address() as AddressInfo).port}`;
      const answer = {
        apiVersion: "credentialprovider.orchlet.o8s.io/v1",
        kind: "CredentialProviderResponse",
        cacheKeyType: "Registry",
        auth: { [host]: { username: "alice", password: "secret" } },
      };
      writeFileSync(join(dir, "bin", "login"), `#!/bin/sh\ncat > ${dir}/request\necho '${JSON.stringify(answer)}'\n`, {
        mode: 0o700,
      });
      containerd = await startContainerd();
      api = await startFakeApiServer();
      const config = credentialProviderConfigSchema.parse({
        apiVersion: "orchlet.config.o8s.io/v1",
        kind: "CredentialProviderConfig",
        providers: [
          {
            name: "login",
            matchImages: [`${host}/app`],
            apiVersion: "credentialprovider.orchlet.o8s.io/v1",
            defaultCacheDuration: "10m",
          },
        ],
      });
      agent = await startAgent(
        testConfig(dir, {
          settings: {
            containerRuntimeEndpoint: containerd.endpoint,
            cgroupRoot: `/o8s-registry-${process.pid}`,
            failSwapOn: false,
          },
          api: { server: api.url },
          credentialProviders: { config, binDir: join(dir, "bin") },
        }),
        { logger: silentLogger, signal: new AbortController().signal, explicit: new Set(), flushLogs: () => undefined },
      );
    }, 180_000);
    afterAll(async () => {
      await agent?.stop();
      await containerd?.stop();
      await api?.close();
      registry?.close();
      await unmountAndRemove(dir);
      await removeCgroups(`o8s-registry-${process.pid}`);
    }, 180_000);

    const reasons = () =>
      api.objects("/api/v1/events").map(({ reason, message }) => `${String(reason)}: ${String(message)}`);

    test("an image is pulled with the credentials of a pull secret, which names the registry by its host", async () => {
      const auths = { [host]: { auth: Buffer.from("alice:secret").toString("base64") } };
      const data = { ".dockerconfigjson": Buffer.from(JSON.stringify({ auths })).toString("base64") };
      api.put("/api/v1/secrets", { metadata: { namespace: "default", name: "pull" }, data });
      // Of a repository that the program has no credentials for, and under another tag of the image.
      const spec = {
        nodeName: "node-a",
        imagePullSecrets: [{ name: "pull" }],
        containers: [{ name: "c", image: `${host}/team/app:1` }],
      };
      api.put("/api/v1/pods", testPod(spec, { name: "secret", uid: "uid-secret" }) as unknown as FakeObject);
      await expect
        .poll(reasons, { timeout: 90_000, interval: 100 })
        .toContainEqual(expect.stringContaining(`Pulled: Successfully pulled image "${host}/team/app:1"`));
    }, 180_000);

    // shows: --image-credential-provider-config, --image-credential-provider-bin-dir
    test("an image is pulled only with the credentials of a program", async () => {
      const containers = ["app", "other"].map((name) => ({ name, image: `${host}/${name}:1` }));
      const pod = testPod({ nodeName: "node-a", containers }, { name: "private", uid: "uid-private" });
      api.put("/api/v1/pods", pod as unknown as FakeObject);
      await expect
        .poll(reasons, { timeout: 90_000, interval: 100 })
        .toContainEqual(expect.stringContaining(`Pulled: Successfully pulled image "${host}/app:1"`));
      await expect
        .poll(reasons, { timeout: 90_000, interval: 100 })
        .toContainEqual(expect.stringContaining(`Failed: Failed to pull image "${host}/other:1"`));
      const cri = createCriClient({
        endpoint: containerd.endpoint,
        imageEndpoint: containerd.endpoint,
        timeoutMs: 10_000,
      });
      const { images } = await cri.images.listImages({});
      cri.close();
      expect(images.flatMap(({ repoTags }) => repoTags)).toContain(`${host}/app:1`);
    }, 180_000);
  },
);
