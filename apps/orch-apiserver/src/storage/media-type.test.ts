import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbeddedStore } from "@orchernetes/storage";
import { startApiServer } from "@orchernetes/testkit";
import { expect, test } from "vitest";

const path = "/api/v1/namespaces/default/configmaps";
const data = { a: "yes", b: "0123", c: "line\nline: {}\n", d: "" };
const object = (name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
  binaryData: { e: "AAEC" },
});

test("objects of every stored form are read; the flag decides the form of new ones", async () => {
  const dir = mkdtempSync(join(tmpdir(), "forms-"));
  const own = `--embedded-store-path=${join(dir, "store")}`;
  const forms = [
    ["first", []],
    ["second", ["--storage-media-type=application/yaml"]],
    ["third", ["--storage-media-type=application/vnd.orchernetes.protobuf"]],
  ] as const;
  try {
    for (const [name, flags] of forms) {
      const server = await startApiServer({ flags: [own, ...flags] });
      try {
        await server.client().request({ method: "POST", path, body: object(name) });
        if (name !== "third") continue;
        const first = await server.client().request({ method: "GET", path: `${path}/first` });
        await server.client().request({ method: "PUT", path: `${path}/first`, body: first });
        const list = (await server.client().request({ method: "GET", path })) as { readonly items: unknown[] };
        expect(list.items.slice(0, 3)).toMatchObject(
          forms.map(([each]) => ({ metadata: { name: each }, data, binaryData: { e: "AAEC" } })),
        );
      } finally {
        await server.stop();
      }
    }
    const store = await openEmbeddedStore({ path: join(dir, "store") });
    const { items } = await store.list("/registry/configmaps/default/");
    await store.close();
    const heads = items.map(({ key, value }) => `${key.split("/").at(-1)} ${value.toString("latin1", 0, 3)}`);
    // The update that changed nothing brought the first one into the form of the day.
    expect(heads).toEqual(["first o8s", expect.stringMatching(/^second [a-z]{3}$/), "third o8s"]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}, 40_000);
