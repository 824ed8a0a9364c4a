import { ProtoWriter } from "./proto-writer.ts";

/**
 * The protobuf form of an OpenAPI version 2 document (gnostic's `openapi.v2.Document`), which older clients require.
 * Field numbers are those of that format. Of its many messages, only the parts that occur in documents of this server
 * are written.
 */

type Json = Readonly<Record<string, unknown>>;

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const texts = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : undefined;
const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** Message Any: the YAML text of a value, of which JSON is one form. */
function any(value: unknown): ProtoWriter {
  return new ProtoWriter().string(2, `${JSON.stringify(value)}\n`);
}

function vendorExtensions(writer: ProtoWriter, field: number, source: Json): void {
  for (const [name, value] of Object.entries(source)) {
    if (name.startsWith("x-")) writer.message(field, new ProtoWriter().string(1, name).message(2, any(value)));
  }
}

function schema(source: Json): ProtoWriter {
  const writer = new ProtoWriter()
    .string(1, text(source.$ref))
    .string(2, text(source.format))
    .string(4, text(source.description));
  if (source.default !== undefined) writer.message(5, any(source.default));
  writer.strings(19, texts(source.required));
  for (const value of Array.isArray(source.enum) ? source.enum : []) writer.message(20, any(value));
  const additional = source.additionalProperties;
  if (isJson(additional)) writer.message(21, new ProtoWriter().message(1, schema(additional)));
  const type = text(source.type);
  if (type !== undefined) writer.message(22, new ProtoWriter().strings(1, [type]));
  const items = source.items;
  if (isJson(items)) writer.message(23, new ProtoWriter().message(1, schema(items)));
  const properties = source.properties;
  if (isJson(properties)) writer.message(25, namedSchemas(properties));
  vendorExtensions(writer, 31, source);
  return writer;
}

function namedSchemas(source: Json): ProtoWriter {
  const writer = new ProtoWriter();
  for (const [name, value] of Object.entries(source)) {
    if (isJson(value)) writer.message(1, new ProtoWriter().string(1, name).message(2, schema(value)));
  }
  return writer;
}

function parameter(source: Json): ProtoWriter {
  const made = new ProtoWriter();
  const location = text(source.in);
  const required = source.required === true;
  if (location === "body") {
    const body = new ProtoWriter()
      .string(1, text(source.description))
      .string(2, text(source.name))
      .string(3, location)
      .bool(4, required);
    if (isJson(source.schema)) body.message(5, schema(source.schema));
    made.message(1, body);
  } else {
    // Path parameters lack "allow empty value", so their later numbers are one lower.
    const query = location === "query";
    const inner = new ProtoWriter()
      .bool(1, required)
      .string(2, location)
      .string(3, text(source.description))
      .string(4, text(source.name))
      .string(query ? 6 : 5, text(source.type));
    made.message(2, new ProtoWriter().message(query ? 3 : 4, inner));
  }
  return new ProtoWriter().message(1, made);
}

function responses(source: Json): ProtoWriter {
  const writer = new ProtoWriter();
  for (const [code, value] of Object.entries(source)) {
    if (!isJson(value)) continue;
    const response = new ProtoWriter().string(1, text(value.description));
    if (isJson(value.schema)) response.message(2, new ProtoWriter().message(1, schema(value.schema)));
    writer.message(1, new ProtoWriter().string(1, code).message(2, new ProtoWriter().message(1, response)));
  }
  return writer;
}

function operation(source: Json): ProtoWriter {
  const writer = new ProtoWriter()
    .strings(1, texts(source.tags))
    .string(3, text(source.description))
    .string(5, text(source.operationId))
    .strings(6, texts(source.produces))
    .strings(7, texts(source.consumes));
  for (const item of Array.isArray(source.parameters) ? source.parameters : []) {
    if (isJson(item)) writer.message(8, parameter(item));
  }
  if (isJson(source.responses)) writer.message(9, responses(source.responses));
  writer.strings(10, texts(source.schemes));
  vendorExtensions(writer, 13, source);
  return writer;
}

const methodFields: Readonly<Record<string, number>> = {
  get: 2,
  put: 3,
  post: 4,
  delete: 5,
  options: 6,
  head: 7,
  patch: 8,
};

function pathItem(source: Json): ProtoWriter {
  const writer = new ProtoWriter();
  for (const [method, number] of Object.entries(methodFields)) {
    const found = source[method];
    if (isJson(found)) writer.message(number, operation(found));
  }
  for (const item of Array.isArray(source.parameters) ? source.parameters : []) {
    if (isJson(item)) writer.message(9, parameter(item));
  }
  return writer;
}

/** Encodes a version 2 document. */
export function encodeDocument(document: Json): Buffer {
  const info = isJson(document.info) ? document.info : {};
  const writer = new ProtoWriter()
    .string(1, text(document.swagger))
    .message(2, new ProtoWriter().string(1, text(info.title)).string(2, text(info.version)));
  const paths = new ProtoWriter();
  for (const [name, value] of Object.entries(isJson(document.paths) ? document.paths : {})) {
    if (isJson(value)) paths.message(2, new ProtoWriter().string(1, name).message(2, pathItem(value)));
  }
  writer.message(8, paths);
  if (isJson(document.definitions)) writer.message(9, namedSchemas(document.definitions));
  return writer.finish();
}
