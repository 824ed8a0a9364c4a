import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createCodecs } from "./codec.ts";
import { enums } from "./enums.ts";
import { messages } from "./messages.ts";
import { imageServiceMethods, runtimeServiceMethods } from "./services.ts";

const codec = createCodecs();

test.each([
  [
    "scalars",
    "PodSandboxMetadata",
    { name: "web", uid: "u", namespace: "default", attempt: 3 },
    "0a037765621201751a0764656661756c742003",
  ],
  ["negative int64", "LinuxContainerResources", { cpuQuota: -1 }, "10ffffffffffffffffff01"],
  ["map", "ImageSpec", { annotations: { a: "b" } }, "12060a0161120162"],
  ["packed numbers", "PortForwardRequest", { port: [80, 443] }, "120350bb03"],
  ["wrapper of zero", "LinuxContainerSecurityContext", { runAsUser: 0 }, "2a00"],
  ["enum", "NamespaceOption", { network: "NODE" }, "0802"],
  ["nanoseconds", "ContainerStatus", { startedAt: 1_700_000_000_123_456_789n }, "28959a97ece39fe7cb17"],
  ["zero values", "PodSandboxMetadata", { name: "", attempt: 0 }, ""],
  ["absent message", "PodSandboxConfig", { metadata: undefined }, ""],
  ["present empty message", "PodSandboxConfig", { metadata: {} }, "0a00"],
])("%s encode to the wire form and back", (_, message, value, hex) => {
  const bytes = codec(message).encode(value);
  expect(bytes.toString("hex")).toBe(hex);
  const given = Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
  expect(codec(message).decode(bytes)).toMatchObject(given);
});

test("decoding fills scalars, lists and maps, and leaves absent messages out", () => {
  expect(codec("PodSandboxStatus").decode(new Uint8Array())).toEqual({
    id: "",
    state: "SANDBOX_READY",
    createdAt: 0n,
    labels: {},
    annotations: {},
    runtimeHandler: "",
  });
});

test.each([
  ["unknown field", "VersionResponse", "a2060161" + "0a0131", { version: "1" }],
  ["unknown enum number", "ContainerStateValue", "0863", { state: "CONTAINER_UNKNOWN" }],
  ["unpacked numbers", "PortForwardRequest", "1050" + "10bb03", { port: [80, 443] }],
])("decoding copes with an %s", (_, message, hex, want) => {
  expect(codec(message).decode(Buffer.from(hex, "hex"))).toMatchObject(want);
});

test("a map key named __proto__ is an ordinary key", () => {
  const bytes = codec("ImageSpec").encode({ annotations: JSON.parse('{"__proto__": "x"}') });
  const { annotations } = codec("ImageSpec").decode(bytes) as { annotations: object };
  expect(Object.keys(annotations)).toEqual(["__proto__"]);
});

test.each(["0a", "0a05616263", "12060aff"])("truncated input %s is refused", (hex) => {
  expect(() => codec("ImageSpec").decode(Buffer.from(hex, "hex"))).toThrow();
});

test("an unknown enum name is refused when encoding", () => {
  expect(() => codec("NamespaceOption").encode({ network: "HOST" })).toThrow(/"HOST".*POD, CONTAINER, NODE, TARGET/);
});

const factsFile = new URL("../../../testkit/facts/cri.json", import.meta.url);

test("messages, enums and methods agree with the facts", () => {
  const facts = JSON.parse(readFileSync(factsFile, "utf8"));
  for (const [name, fields] of Object.entries<{ n: string; t: string; pb: number }[]>(facts.messages)) {
    if (name.startsWith("Windows") || name === "Int64Value" || name === "UInt64Value") continue;
    const want = fields.filter(({ t }) => !t.includes("Windows")).map(({ n, t, pb }) => [camel(n), pb, wireType(n, t)]);
    const found = Object.entries(messages[name] ?? {}).map(([field, [number, type]]) => [field, number, type]);
    expect(found, name).toEqual(want);
  }
  for (const [name, values] of Object.entries<Record<string, number>>(facts.enums)) {
    expect(Object.fromEntries(enums[name as keyof typeof enums].map((value, number) => [value, number]))).toEqual(
      values,
    );
  }
  const methods = { RuntimeService: runtimeServiceMethods, ImageService: imageServiceMethods };
  for (const [service, table] of Object.entries(methods)) {
    const found = Object.entries(table).map(([name, spec]) => [
      name.charAt(0).toUpperCase() + name.slice(1),
      spec.request,
      spec.response,
    ]);
    expect(found).toEqual(facts.services[service].map((m: Record<string, string>) => [m.method, m.req, m.resp]));
  }
});

function camel(name: string): string {
  return name === "CDI_devices" ? "cdiDevices" : name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function wireType(name: string, type: string): string {
  if (type.startsWith("map")) return "map";
  return type === "int64" && /^(created_at|started_at|finished_at|timestamp)$/.test(name) ? "nanos" : type;
}
