// Creates a ConfigMap, lists the ConfigMaps of its namespace, and prints what happens to it.
// Run it with: node list-and-watch.mjs CLIENT-CONFIGURATION-FILE
import { createClient, loadClientConfig } from "@orchernetes/client";

/** @type {import("@orchernetes/client").ResourceRef} */
const configMaps = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", scope: "Namespaced" };

const client = createClient(loadClientConfig(process.argv[2]));
const inDefault = client.resource(configMaps).namespace("default");

const name = "example";
const metadata = { name, labels: { app: name } };
const { metadata: created } = await inDefault.create({ apiVersion: "v1", kind: "ConfigMap", metadata });
console.log(`created ${created.name}`);

const { items, metadata: list } = await inDefault.list({ labelSelector: `app=${name}` });
console.log(`listed ${items.map((item) => item.metadata.name).join(", ")}`);

await inDefault.patch(name, { data: { greeting: "hello" } });
await inDefault.delete(name);
for await (const event of inDefault.watch({ labelSelector: `app=${name}`, resourceVersion: list.resourceVersion })) {
  console.log(event.type);
  if (event.type === "DELETED") break;
}
client.close();
