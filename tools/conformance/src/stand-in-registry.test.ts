import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildImageArchive } from "@orchernetes/cri/images";
import { expect, onTestFinished, test } from "vitest";
import { registriesOf, startStandInRegistry, useRegistry } from "./stand-in-registry.ts";

test("the registry serves manifests by tag and digest, and private images to whoever has credentials", async () => {
  const images = ["gcr.io/tools/one:1", "gcr.io/authenticated-image-pulling/two:2"].map((reference) =>
    buildImageArchive({ reference, files: [] }),
  );
  expect(registriesOf(images)).toEqual(["gcr.io"]);
  const registry = await startStandInRegistry(images);
  onTestFinished(() => registry.close());
  const get = (path: string, init?: RequestInit) => fetch(`http://${registry.host}/v2/${path}`, init);
  const answer = await get("tools/one/manifests/1");
  expect(answer.headers.get("docker-content-digest")).toBe(images[0]?.manifest);
  const manifest = (await answer.json()) as { readonly config: { readonly digest: string } };
  expect(manifest.config.digest).toBe(images[0]?.imageId);
  expect((await get(`tools/one/blobs/${manifest.config.digest}`, { method: "HEAD" })).status).toBe(200);
  expect((await get("tools/none/manifests/1")).status).toBe(404);
  const secret = "authenticated-image-pulling/two/manifests/2";
  expect((await get(secret)).status).toBe(401);
  expect((await get(secret, { headers: { authorization: "Basic YTpi" } })).status).toBe(200);
});

test("containerd finds the registry by a file for each host", async () => {
  const folder = mkdtempSync(join(tmpdir(), "registries-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await useRegistry({ host: "127.0.0.1:5000", close: () => undefined }, ["gcr.io"], [folder]);
  expect(readFileSync(join(folder, "gcr.io/hosts.toml"), "utf8")).toBe(
    'server = "https://gcr.io"\n\n[host."http://127.0.0.1:5000"]\ncapabilities = ["pull", "resolve"]\n',
  );
});
