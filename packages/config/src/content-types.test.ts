import { expect, test } from "vitest";
import { acceptContentTypesWanted, contentTypeWanted } from "./content-types.ts";

const json = "application/json";
const protobuf = "application/vnd.orchernetes.protobuf";

test("JSON and protobuf are content types, as is none", () => {
  for (const text of ["", json, protobuf]) expect(contentTypeWanted(text), text).toBeUndefined();
  for (const text of [
    "json",
    "application/yaml",
    "*/*",
    `${json};q=1`,
    `${json},${protobuf}`,
    "Application/JSON",
    "constructor",
  ])
    expect(contentTypeWanted(text), text).toBe(`${json} or ${protobuf}`);
});

test("a list of them, of ranges and of weights can be accepted", () => {
  for (const text of [
    "",
    json,
    `${protobuf},${json}`,
    `${protobuf}, */*;q=0.1`,
    "application/*;q=0",
    `${json} ; q=1.000`,
  ])
    expect(acceptContentTypesWanted(text), text).toBeUndefined();
  for (const text of [
    ",",
    `${json},`,
    "text/html",
    `${json};q=2`,
    `${json};q=0.1234`,
    `${json};as=Table`,
    `${json};q=1;q=1`,
  ])
    expect(acceptContentTypesWanted(text), text).toContain(`${json}, ${protobuf}, application/* or */*`);
});
