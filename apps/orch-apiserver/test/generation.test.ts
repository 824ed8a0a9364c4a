import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

const path = "/apis/apps/v1/namespaces/default/deployments/web";
const labels = { app: "web" };
const deployment = {
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "localhost/pause:1" }] } },
  },
};

let server: TestApiServer;

beforeAll(async () => {
  server = await startApiServer({ store: "embedded" });
  await server.client().request({ method: "POST", path: path.replace(/\/web$/, ""), body: deployment });
}, 30_000);

afterAll(() => server.stop());

test.each([
  ["an annotation written through status", "/status", { metadata: { annotations: { a: "1" } } }, 1],
  ["the status itself", "/status", { status: { observedGeneration: 1 } }, 1],
  ["an annotation", "", { metadata: { annotations: { a: "2" } } }, 2],
  ["the spec", "", { spec: { replicas: 2 } }, 3],
  ["nothing", "", { spec: { replicas: 2 } }, 3],
])("after a change of %s the generation is as expected", async (_, subresource, body, generation) => {
  const answer = await server
    .client()
    .request({ method: "PATCH", path: `${path}${subresource}`, body, contentType: "application/merge-patch+json" });
  expect(answer).toMatchObject({ metadata: { generation } });
});
