import {
  type ApiObject,
  apiVersionOf,
  badRequest,
  builtInCapabilities,
  capabilitiesOf,
  DecodeError,
  type Draft,
  decodeProtobuf,
  decoderFor,
  field,
  invalid,
  type MessageSchema,
  parseJson,
  type ResourceCapabilities,
  type ResourceDefinition,
  shortened,
  unsupportedMediaType,
} from "@orchernetes/apimachinery";
import { messageOf } from "@orchernetes/kernel";
import { jsonType, yamlType } from "../http/negotiate.ts";
import type { RawBody } from "./endpoint.ts";
import type { FieldValidation } from "./write-options.ts";

/** The kind that a body must have, and how strictly. */
export interface ExpectedKind {
  readonly kind: string;
  /** `apps/v1` */
  readonly apiVersion: string;
  readonly schema: MessageSchema;
  /** What bodies may be encoded as, and what they may leave out. @default as for built-in resources */
  readonly capabilities?: Pick<ResourceCapabilities, "protobuf" | "optionalTypeMeta">;
  /** Creates the error for a value that is not such an object, from the reason. @default BadRequest */
  readonly refuse?: (reason: string, cause?: unknown) => Error;
  /** Other versions that a body of the same schema may name; `any` for kinds that exist in every group version. */
  readonly alsoAccepts?: readonly string[] | "any";
  /**
   * Called when the body names the group by its upstream spelling (`authentication.k8s.io` for
   * `authentication.o8s.io`), as stock clients do below paths that both dialects share. Without it such bodies are
   * rejected.
   */
  readonly onUpstreamSpelling?: (apiVersion: string) => void;
}

/** The kind that bodies of a resource must have. */
export function expectedKindOf(definition: ResourceDefinition): ExpectedKind {
  const { kind, schema } = definition;
  return { kind, apiVersion: apiVersionOf(definition), schema, capabilities: capabilitiesOf(definition) };
}

/** Limit of fields named in warnings or in the error: an object with a misspelled list could name thousands. */
const maxNamedFields = 100;

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.lastIndexOf("/") + 1);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own string property; "" otherwise. Bodies may contain `__proto__` and the like. */
function text(source: Readonly<Record<string, unknown>>, key: string): string {
  const value = Object.hasOwn(source, key) ? source[key] : undefined;
  return typeof value === "string" ? value : "";
}

/**
 * Parses a document, unless that is done already. @throws ApiError BadRequest with upstream's text, which ends with the
 * first bytes in hex
 */
function parseBody(
  { bytes, document }: RawBody,
  expectedKind: string,
  duplicates: boolean,
): { readonly value: Readonly<Record<string, unknown>>; readonly duplicateFields: readonly string[] } {
  const refuse = (reason: string): Error =>
    badRequest(`the object provided is unrecognized (must be of type ${expectedKind}): ${reason}`);
  try {
    if (document !== undefined && "error" in document) throw document.error;
    const parsed = document ?? parseJson(bytes, { duplicates });
    if (!isRecord(parsed.value)) {
      throw refuse(
        `couldn't get version/kind; json parse error: the document is not an object (${bytes.subarray(0, 30).toString("hex")})`,
      );
    }
    return { value: parsed.value, duplicateFields: duplicates ? parsed.duplicateFields : [] };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw refuse(
      `couldn't get version/kind; json parse error: ${error.message} (${bytes.subarray(0, 30).toString("hex")})`,
    );
  }
}

/**
 * Checks kind and apiVersion of a built-in kind. Both may be absent: the path determines them. @throws ApiError
 * BadRequest
 */
function checkKind(value: Readonly<Record<string, unknown>>, expected: ExpectedKind): void {
  const kind = text(value, "kind");
  const apiVersion = text(value, "apiVersion");
  if (kind !== "" && kind !== expected.kind) {
    const version = apiVersion === "" ? expected.apiVersion : apiVersion;
    throw badRequest(
      `${kind} in version ${JSON.stringify(versionOf(version))} cannot be handled as a ${expected.kind}: ` +
        `the path takes kind ${expected.kind} of ${expected.apiVersion}`,
    );
  }
  if (apiVersion !== "" && apiVersion !== expected.apiVersion) {
    if (expected.alsoAccepts === "any" || expected.alsoAccepts?.includes(apiVersion) === true) return;
    if (
      expected.onUpstreamSpelling !== undefined &&
      apiVersion === expected.apiVersion.replace(".o8s.io/", ".k8s.io/")
    ) {
      expected.onUpstreamSpelling(apiVersion);
      return;
    }
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected.apiVersion})`,
    );
  }
}

/**
 * Like {@link checkKind}, for custom resources, whose bodies must have both.
 *
 * @throws ApiError BadRequest, Invalid for another kind
 */
function checkCustomKind(value: Readonly<Record<string, unknown>>, expected: ExpectedKind): void {
  const kind = text(value, "kind");
  const apiVersion = text(value, "apiVersion");
  if (kind === "" || apiVersion === "") {
    const name = kind === "" ? "Kind" : "apiVersion";
    throw badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): Object '${name}' is missing in '${JSON.stringify(value).slice(0, 256)}'`,
    );
  }
  if (apiVersion !== expected.apiVersion) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected.apiVersion})`,
    );
  }
  if (kind === expected.kind) return;
  const { metadata } = value;
  const group = apiVersion.split("/")[0] ?? "";
  const error = field.invalid("kind", kind, `must be ${expected.kind}`);
  throw invalid({ group, kind }, isRecord(metadata) ? text(metadata, "name") : "", [error]);
}

function refusal({ kind, apiVersion, refuse }: ExpectedKind, reason: string, cause?: unknown): Error {
  if (refuse !== undefined) return refuse(reason, cause);
  const version = JSON.stringify(versionOf(apiVersion));
  return badRequest(`${kind} in version ${version} cannot be handled as a ${kind}: ${reason}`, { cause });
}

/** Handles unknown and duplicate fields as `fieldValidation` requires (KEP-2885): ignores them, warns, or rejects. */
function reportFields(
  unknown: readonly string[],
  duplicates: readonly string[],
  validation: FieldValidation,
  expected: ExpectedKind,
  warn: (message: string) => void,
): void {
  if (validation === "Ignore" || unknown.length + duplicates.length === 0) return;
  const texts = [
    ...unknown.map((path) => `unknown field ${JSON.stringify(shortened(path))}`),
    ...duplicates.slice(0, maxNamedFields).map((path) => `duplicate field ${JSON.stringify(shortened(path))}`),
  ];
  if (validation === "Strict") {
    throw refusal(expected, `strict decoding error: ${texts.join(", ")}`);
  }
  for (const line of texts) warn(line);
}

/**
 * Decodes a parsed document by the schema, and sets kind and apiVersion. Unknown fields are dropped.
 *
 * @param duplicates paths of fields that occurred twice in the text, for the report
 * @throws ApiError BadRequest, or what `expected.refuse` creates
 */
export function decodeValue(
  value: Readonly<Record<string, unknown>>,
  duplicates: readonly string[],
  expected: ExpectedKind,
  validation: FieldValidation,
  warn: (message: string) => void,
): Draft<ApiObject> {
  const unknown: string[] = [];
  let decoded: unknown;
  try {
    decoded = decoderFor(expected.schema).decode(
      value,
      validation === "Ignore"
        ? {}
        : {
            onUnknown: (path) => {
              if (unknown.length < maxNamedFields) unknown.push(path);
            },
          },
    );
  } catch (error) {
    throw refusal(expected, messageOf(error), error);
  }
  reportFields(unknown, duplicates, validation, expected, warn);
  const draft = decoded as Draft<ApiObject>;
  draft.kind = expected.kind;
  draft.apiVersion = expected.apiVersion;
  if (isRecord(value.metadata) && isEmptyList(value.metadata.managedFields) && "metadata" in draft) {
    // The canonical form drops empty lists, but an empty `managedFields` has a meaning: it resets all ownership.
    draft.metadata.managedFields = [];
  }
  return draft;
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/**
 * Decodes a protobuf envelope. Unknown fields of protobuf are of newer versions, and are skipped without a warning, as
 * upstream does.
 */
function decodeWire({ bytes }: RawBody, expected: ExpectedKind): Draft<ApiObject> {
  let decoded: Draft<ApiObject>;
  try {
    decoded = decodeProtobuf(expected.schema, bytes) as Draft<ApiObject>;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`the object provided is unrecognized (must be of type ${expected.kind}): ${error.message}`, {
      cause: error,
    });
  }
  checkKind(decoded as unknown as Readonly<Record<string, unknown>>, expected);
  decoded.kind = expected.kind;
  decoded.apiVersion = expected.apiVersion;
  return decoded;
}

/**
 * Reads an object of a known kind from a body in any encoding.
 *
 * @param warn gets the warnings of `fieldValidation`
 * @throws ApiError BadRequest, Invalid, UnsupportedMediaType
 */
export function decodeObject(
  body: RawBody,
  expected: ExpectedKind,
  validation: FieldValidation,
  warn: (message: string) => void,
): Draft<ApiObject> {
  const { protobuf, optionalTypeMeta } = expected.capabilities ?? builtInCapabilities;
  if (body.encoding === "protobuf") {
    if (!protobuf) throw unsupportedMediaType([jsonType, yamlType]);
    return decodeWire(body, expected);
  }
  const { value, duplicateFields } = parseBody(body, expected.kind, validation !== "Ignore");
  if (optionalTypeMeta) checkKind(value, expected);
  else checkCustomKind(value, expected);
  return decodeValue(value, duplicateFields, expected, validation, warn);
}
