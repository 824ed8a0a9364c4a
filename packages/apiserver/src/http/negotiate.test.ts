import { expect, test } from "vitest";
import { parseMediaType } from "./media-type.ts";
import { Negotiator } from "./negotiate.ts";

const protobuf = "application/vnd.orchernetes.protobuf";
const table = "as=Table;v=v1;g=meta.o8s.io";

/** The form that a header asks for, or the status code of its refusal. */
function form(header: string | undefined, negotiator = new Negotiator()): string | number {
  try {
    const { encoding, as, asApiVersion } = negotiator.negotiate(header);
    return as === undefined ? encoding : `${encoding} ${as} ${asApiVersion}`;
  } catch (error) {
    return error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : String(error);
  }
}

test.each([
  [undefined, "json"],
  ["", "json"],
  ["*/*", "json"],
  ["application/*", "json"],
  ["application/json", "json"],
  ["Application/JSON ; charset=utf-8", "json"],
  ["application/yaml", "yaml"],
  [protobuf, "protobuf"],
  [`${protobuf}, application/json`, "protobuf"],
  ["application/json;q=0.5, application/yaml;q=0.6", "yaml"],
  ["application/json;q=0.5, application/yaml;q=0.5", "json"],
  ["application/yaml;q=0, application/json;q=0.1", "json"],
  ["text/html, application/xml;q=0.9, */*;q=0.8", "json"],
  ["*/*, application/yaml", "yaml"],
  ["application/*, application/yaml", "yaml"],
  [`application/json;${table}`, "json Table meta.o8s.io/v1"],
  ["application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "json PartialObjectMetadata meta.k8s.io/v1"],
  [`application/yaml;${table}`, "yaml Table meta.o8s.io/v1"],
  ["application/json;as=Chart;v=v1;g=meta.o8s.io, application/json", "json"],
  ["application/json;as=Table;v=v2;g=meta.o8s.io, application/json", "json"],
  ["application/json;as=Table;v=v1;g=else, application/json", "json"],
  ["application/json;stream=watch", "json"],
  ["text/html", 406],
  ["application/json;q=0", 406],
  ["application/json;q=2", 406],
  ["application/json;as=Chart;v=v1;g=meta.o8s.io", 406],
  ["application/json;stream=else", 406],
  ["nonsense", 406],
  [",;,", 406],
  ["__proto__/x, constructor/y", 406],
])("the form for Accept: %s is %s", (header, want) => {
  expect(form(header)).toBe(want);
});

test("more headers than are remembered are answered like the first", () => {
  const negotiator = new Negotiator();
  for (let n = 0; n < 600; n += 1) {
    expect(form(`application/yaml;n=${n}`, negotiator)).toBe("yaml");
    expect(form(`text/x${n}`, negotiator)).toBe(406);
  }
  expect(form("application/yaml;n=0", negotiator)).toBe("yaml");
  expect(form(`text/html,${" ".repeat(5000)}application/yaml`, negotiator)).toBe("yaml");
});

test("a client that prefers tables gets the next form where there is no table", () => {
  const negotiator = new Negotiator();
  expect(negotiator.negotiateObject(`application/json;${table}, application/yaml`)).toMatchObject({ encoding: "yaml" });
  expect(negotiator.negotiateObject(undefined)).toMatchObject({ encoding: "json" });
  expect(() => negotiator.negotiateObject(`application/json;${table}`)).toThrow(expect.objectContaining({ code: 406 }));
});

test("a kind without protobuf is sent as text where the client takes it, and else refused", () => {
  const negotiator = new Negotiator();
  expect(negotiator.negotiateText(`${protobuf}, application/yaml;q=0.1`)).toMatchObject({ encoding: "yaml" });
  expect(() => negotiator.negotiateText(protobuf)).toThrow(expect.objectContaining({ code: 406 }));
});

test.each([
  ["application/json", { type: "application/json", quality: 1, parameters: {} }],
  [' A/B ; Q=0.25; X="y z" ;flag', { type: "a/b", quality: 0.25, parameters: { x: "y z" } }],
  ["a/b;q=-1", { type: "a/b", quality: 0, parameters: {} }],
  ["a/b;q=much", { type: "a/b", quality: 0, parameters: {} }],
  ['a/b;x="', { type: "a/b", quality: 1, parameters: { x: '"' } }],
  ["json", undefined],
  ["", undefined],
])("the media type %j", (text, want) => {
  const found = parseMediaType(text);
  expect(found && { ...found, parameters: { ...found.parameters } }).toEqual(want);
});
