import { createClient, createInformer } from "@orchernetes/client";
import { startFakeApiServer } from "@orchernetes/client/testing";
import { volume } from "@orchernetes/testkit";
import { expect, test, vi } from "vitest";
import { persistentVolumes } from "../../shared/refs.ts";
import { latestOf } from "./latest.ts";

test("own writes are visible at once, until the watch has caught up", async () => {
  const server = await startFakeApiServer();
  const client = createClient({ server: server.url });
  const stop = new AbortController();
  const informer = createInformer(client, persistentVolumes);
  const latest = latestOf(informer);
  const put = (label: string): void => {
    server.put("/api/v1/persistentvolumes", { metadata: { name: "v", uid: "u", labels: { label } } });
  };
  put("first");
  const running = informer.run(stop.signal);
  await informer.waitForSync(stop.signal);
  const label = (): string | undefined => latest.byKey("v")?.metadata.labels?.label;
  const own = (resourceVersion: string, uid = "u") => {
    const made = volume("v", { labels: { label: "own" } });
    return { ...made, metadata: { ...made.metadata, uid, resourceVersion } };
  };
  latest.written(own("1"));
  expect(label()).toBe("first");
  latest.written(own("9999", "of another"));
  expect(label()).toBe("first");
  latest.written(own("102"));
  expect(label()).toBe("own");
  put("second");
  await vi.waitFor(() => expect(label()).toBe("second"), { timeout: 10_000 });
  latest.written(own("9999"));
  expect(label()).toBe("own");
  server.remove("/api/v1/persistentvolumes", "v");
  await vi.waitFor(() => expect(latest.byKey("v")).toBeUndefined(), { timeout: 10_000 });
  stop.abort();
  await running;
  client.close();
  await server.close();
});
