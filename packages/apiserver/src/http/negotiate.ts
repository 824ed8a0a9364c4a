import { ApiError, failure, notAcceptable, protobufMediaType } from "@orchernetes/apimachinery";
import { type MediaType, parseAccept } from "./media-type.ts";

/** Encodings of responses. */
export type Encoding = "json" | "yaml" | "protobuf";

/** Forms that an object or list can be transformed to (API concepts, "Receiving resources as Tables"). */
type Transform = "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";

/** The negotiated form of a response. */
export interface Negotiated {
  readonly encoding: Encoding;
  readonly contentType: string;
  /** Absent: the object itself. */
  readonly as?: Transform;
  /** `meta.o8s.io/v1` and the like: the apiVersion of a transformed response, as the client requested. */
  readonly asApiVersion: string;
}

export const jsonType = "application/json";
export const yamlType = "application/yaml";

/** The offered media types, as 406 and 415 responses list them. */
export const offeredTypes: readonly string[] = Object.freeze([jsonType, yamlType, protobufMediaType]);

const plain: Negotiated = Object.freeze({ encoding: "json", contentType: jsonType, asApiVersion: "" });

const encodingOf: Readonly<Record<string, Encoding>> = {
  "application/json": "json",
  "application/*": "json",
  "*/*": "json",
  "application/yaml": "yaml",
  [protobufMediaType]: "protobuf",
};

const typeOf: Readonly<Record<Encoding, string>> = { json: jsonType, yaml: yamlType, protobuf: protobufMediaType };

const metaGroups: ReadonlySet<string> = new Set(["meta.o8s.io", "meta.k8s.io"]);
const metaVersions: ReadonlySet<string> = new Set(["v1", "v1beta1"]);
const transforms: ReadonlySet<string> = new Set(["Table", "PartialObjectMetadata", "PartialObjectMetadataList"]);

/** The form that a clause of an Accept header asks for; undefined if it is not served. */
function accept(clause: MediaType): Negotiated | undefined {
  const encoding = encodingOf[clause.type];
  if (encoding === undefined) return undefined;
  const contentType = typeOf[encoding];
  const { as, g = "", v = "", stream } = clause.parameters;
  if (stream !== undefined && stream !== "watch") return undefined;
  if (as === undefined || as === "") return { encoding, contentType, asApiVersion: "" };
  if (encoding === "protobuf" || !transforms.has(as) || !metaGroups.has(g) || !metaVersions.has(v)) return undefined;
  return { encoding, contentType, as: as as Transform, asApiVersion: `${g}/${v}` };
}

/** Limit of remembered headers, and of their length: clients choose them. */
const maxRemembered = 256;
const maxRememberedLength = 1024;

/** The error for a header without any acceptable clause; clauses of a known type fail by their parameters. */
function refusal(header: string): ApiError {
  const known = parseAccept(header).some(({ type }) => encodingOf[type] !== undefined);
  return known ? notAcceptable(offeredTypes) : new ApiError(failure("NotAcceptable", "406: Not Acceptable", {}));
}

const always = (): boolean => true;

/** The form of the best clause that `serves` accepts; null if there is none. */
function negotiateHeader(header: string, serves: (form: Negotiated) => boolean): Negotiated | null {
  for (const clause of parseAccept(header)) {
    const found = accept(clause);
    if (found !== undefined && serves(found)) return found;
  }
  return null;
}

/**
 * Chooses the form of responses from Accept headers (RFC 9110 §12.5.1). A client sends the same header with every
 * request, so decisions are remembered, and the two most frequent headers need no lookup.
 */
export class Negotiator {
  readonly #remembered = new Map<string, Negotiated | null>();

  /** @throws ApiError NotAcceptable */
  negotiate(header: string | undefined): Negotiated {
    if (header === undefined || header === "" || header === jsonType || header === "*/*") return plain;
    let found = this.#remembered.get(header);
    if (found === undefined) {
      found = negotiateHeader(header, always);
      if (this.#remembered.size >= maxRemembered) this.#remembered.clear();
      if (header.length <= maxRememberedLength) this.#remembered.set(header, found);
    }
    if (found === null) throw refusal(header);
    return found;
  }

  /** Like {@link negotiate}, for kinds without a protobuf form. @throws ApiError NotAcceptable */
  negotiateText(header: string | undefined): Negotiated {
    const found = header === undefined ? plain : negotiateHeader(header, ({ encoding }) => encoding !== "protobuf");
    if (found === null) throw notAcceptable([jsonType, yamlType]);
    return found;
  }

  /** Like {@link negotiate}, for objects without a table form. @throws ApiError NotAcceptable */
  negotiateObject(header: string | undefined): Negotiated {
    const found = this.negotiate(header);
    if (header === undefined || found.as !== "Table") return found;
    const other = negotiateHeader(header, ({ as }) => as !== "Table");
    if (other === null) throw refusal(header);
    return other;
  }
}

/** The plain JSON form. */
export const plainJson = plain;
