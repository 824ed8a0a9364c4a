import { createClient, createEventRecorder } from "@orchernetes/client";
import { startFakeApiServer } from "@orchernetes/client/testing";
import { expect, test } from "vitest";
import { createdName, createPodControl } from "./pod-control.ts";

test.each([
  [
    "as this project's server writes it",
    '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-x1.y","uid":"u"},"spec":',
  ],
  ["in another order", '{"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"web-","name":"web-x1.y"}}'],
  ["with an escaped name", '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web\\u002dx1.y"}}'],
])("the name of a created pod is found %s", (_, text) => {
  expect(createdName(text)).toBe("web-x1.y");
});

test.each(["", "{}", '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web'])("%j has no name", (text) => {
  expect(() => createdName(text)).toThrow();
});

test("a created pod is reported with its name", async () => {
  const server = await startFakeApiServer();
  const client = createClient({ server: server.url });
  try {
    const recorder = createEventRecorder(client, { component: "test" });
    const pod = { metadata: { generateName: "web-" }, spec: { containers: [] } };
    await createPodControl(client, recorder).create(JSON.stringify(pod), "ns", {
      kind: "Set",
      namespace: "ns",
      name: "s",
    });
    await recorder.flush();
    const [created] = server.objects("/api/v1/pods");
    expect(server.objects("/api/v1/events")).toMatchObject([{ message: `Created pod: ${created?.metadata.name}` }]);
  } finally {
    client.close();
    await server.close();
  }
});
