import { expect, test } from "vitest";
import { ContainerFilter, ContainerStatus, LinuxContainerResources } from "./container.ts";
import { ImageSpec } from "./image.ts";
import { PodSandboxConfig, PodSandboxStatus } from "./sandbox.ts";
import { LinuxContainerSecurityContext, NamespaceOption } from "./security.ts";
import { PortForwardRequest, runtimeService } from "./services.ts";

/** A message without the types of its fields. */
interface Codec {
  encode(value: object): Buffer;
  decode(bytes: Buffer): object;
}

const [, PodSandboxMetadata] = PodSandboxConfig.fields.metadata;
const [, ContainerStateValue] = ContainerFilter.fields.state;

test.each([
  [
    "scalars",
    PodSandboxMetadata,
    { name: "web", uid: "u", namespace: "default", attempt: 3 },
    "0a037765621201751a0764656661756c742003",
  ],
  ["negative int64", LinuxContainerResources, { cpuQuota: -1 }, "10ffffffffffffffffff01"],
  ["map", ImageSpec, { annotations: { a: "b" } }, "12060a0161120162"],
  ["packed numbers", PortForwardRequest, { port: [80, 443] }, "120350bb03"],
  ["wrapper of zero", LinuxContainerSecurityContext, { runAsUser: 0 }, "2a00"],
  ["enum", NamespaceOption, { network: "NODE" }, "0802"],
  ["nanoseconds", ContainerStatus, { startedAt: 1_700_000_000_123_456_789n }, "28959a97ece39fe7cb17"],
  ["zero values", PodSandboxMetadata, { name: "", attempt: 0 }, ""],
  ["absent message", PodSandboxConfig, { metadata: undefined }, ""],
  ["present empty message", PodSandboxConfig, { metadata: {} }, "0a00"],
])("%s encode to the wire form and back", (_, type, value, hex) => {
  const message = type as Codec;
  const encoded = message.encode(value);
  expect(encoded.toString("hex")).toBe(hex);
  const given = Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
  expect(message.decode(encoded)).toMatchObject(given);
});

test("decoding fills scalars, lists and maps, and leaves absent messages out", () => {
  expect(PodSandboxStatus.decode(Buffer.alloc(0))).toEqual({
    id: "",
    state: "SANDBOX_READY",
    createdAt: 0n,
    labels: {},
    annotations: {},
    runtimeHandler: "",
  });
});

test.each<[string, Codec, string, object]>([
  ["unknown field", runtimeService.version.response as Codec, "a2060161" + "0a0131", { version: "1" }],
  ["unknown enum number", ContainerStateValue as Codec, "0863", { state: "CONTAINER_UNKNOWN" }],
  ["unpacked numbers", PortForwardRequest as Codec, "1050" + "10bb03", { port: [80, 443] }],
  [
    "unexpected wire type",
    PortForwardRequest as Codec,
    "0801" + "1500000000" + "1050",
    { podSandboxId: "", port: [80] },
  ],
  ["map entry without key and value", ImageSpec as Codec, "1200", { annotations: { "": "" } }],
])("decoding copes with an %s", (_, message, hex, want) => {
  expect(message.decode(Buffer.from(hex, "hex"))).toMatchObject(want);
});

test("a map key named __proto__ is an ordinary key", () => {
  const encoded = ImageSpec.encode({ annotations: JSON.parse('{"__proto__": "x"}') });
  expect(Object.keys(ImageSpec.decode(encoded).annotations)).toEqual(["__proto__"]);
});

test.each(["0a", "0a05616263", "12060aff"])("truncated input %s is rejected", (hex) => {
  expect(() => ImageSpec.decode(Buffer.from(hex, "hex"))).toThrow();
});

test("a nested message cannot read past its end", () => {
  // The sandbox's metadata has 1 byte, but the name in it claims the 2 bytes that follow.
  expect(() => PodSandboxConfig.decode(Buffer.from("0a020a021201", "hex"))).toThrow(RangeError);
});

test("an unknown enum name is rejected when encoding", () => {
  const value = { network: "HOST" } as unknown as { network: "NODE" };
  expect(() => NamespaceOption.encode(value)).toThrow(/"HOST".*POD, CONTAINER, NODE, TARGET/);
});

test.each([0.5, Number.NaN, Infinity, "3"])("%s is rejected as an integer", (attempt) => {
  expect(() => PodSandboxMetadata.encode({ attempt: attempt as number })).toThrow(`found ${attempt}`);
});
