import {
  type ApiObject,
  canonicalize,
  defineResource,
  type Infer,
  type MessageSchema,
  ObjectMeta,
  object,
  value,
} from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import type { StorageMediaType } from "../interfaces/index.ts";
import { StoredForm } from "./stored-form.ts";

const Part = object("boxes/v1", "Part", () => ({ metadata: value(1, ObjectMeta) }));
const Box = object("boxes/v1", "Box", () => ({ metadata: value(1, ObjectMeta), part: value(2, Part) }));
interface Box extends Infer<typeof Box> {}

/** Holds an object with a kind of its own, as stateful sets hold claims. */
const boxes = defineResource<Box>({
  group: "boxes.example.com",
  version: "v1",
  kind: "Box",
  plural: "boxes",
  singular: "box",
  scope: "Namespaced",
  verbs: ["get", "create"],
  schema: Box,
  storagePrefix: "/registry/boxes",
  applyDefaults: (box) => {
    box.part.kind = "Part";
    box.part.apiVersion = "boxes/v1";
  },
  strategy: {},
  columns: [],
});

test.each<[StorageMediaType]>([["application/json"], ["application/yaml"], ["application/vnd.orchernetes.protobuf"]])(
  "%s gives back what was stored, kinds of objects inside included",
  (mediaType) => {
    const form = new StoredForm(boxes as unknown as Parameters<typeof defineResource>[0], mediaType);
    const stored = canonicalize(
      boxes.schema as unknown as MessageSchema<ApiObject>,
      {
        kind: "Box",
        apiVersion: "boxes.example.com/v1",
        metadata: { name: "a" },
        part: { kind: "Part", apiVersion: "boxes/v1", metadata: { name: "inside" } },
      } as unknown as ApiObject,
    );
    const json = Buffer.from(JSON.stringify(stored));
    const bytes = form.encode(stored, json);
    expect(form.matches(bytes)).toBe(true);
    expect(form.read(bytes).json.toString()).toBe(json.toString());
  },
);
