import { ApiError, failure, notAcceptable, protobufMediaType } from "@orchernetes/apimachinery";
import { type MediaType, parseAccept } from "./media-type.ts";

/** Encodings of answers. */
export type Encoding = "json" | "yaml" | "protobuf";

/** Shapes an object or list can be turned into. */
type Transform = "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";

/** The form in which a client wants its answer. */
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

/** Types offered, as 406 and 415 answers name them. */
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

const maxRemembered = 256;
const maxRememberedLength = 1024;

/** The error for a header without any acceptable clause; clauses of a known type fail by their parameters. */
function refusal(header: string): ApiError {
  const known = parseAccept(header).some(({ type }) => encodingOf[type] !== undefined);
  return known ? notAcceptable(offeredTypes) : new ApiError(failure("NotAcceptable", "406: Not Acceptable", {}));
}

const always = (): boolean => true;

function negotiateAnew(header: string, serves: (form: Negotiated) => boolean): Negotiated | null {
  for (const clause of parseAccept(header)) {
    const found = accept(clause);
    if (found !== undefined && serves(found)) return found;
  }
  return null;
}

/** Chooses the form of answers from Accept headers. Headers repeat endlessly, so decisions are remembered. */
export class Negotiator {
  readonly #remembered = new Map<string, Negotiated | null>();

  /** @throws ApiError NotAcceptable */
  negotiate(header: string | undefined): Negotiated {
    if (header === undefined || header === "" || header === jsonType || header === "*/*") return plain;
    let found = this.#remembered.get(header);
    if (found === undefined) {
      found = negotiateAnew(header, always);
      if (this.#remembered.size >= maxRemembered) this.#remembered.clear();
      if (header.length <= maxRememberedLength) this.#remembered.set(header, found);
    }
    if (found === null) throw refusal(header);
    return found;
  }

  /** The same for what has no protobuf form. @throws ApiError NotAcceptable */
  negotiateText(header: string | undefined): Negotiated {
    const found = header === undefined ? plain : negotiateAnew(header, ({ encoding }) => encoding !== "protobuf");
    if (found === null) throw notAcceptable([jsonType, yamlType]);
    return found;
  }

  /** The same for objects that have no table form. @throws ApiError NotAcceptable */
  negotiateObject(header: string | undefined): Negotiated {
    const found = this.negotiate(header);
    if (header === undefined || found.as !== "Table") return found;
    const other = negotiateAnew(header, ({ as }) => as !== "Table");
    if (other === null) throw refusal(header);
    return other;
  }
}

/** The plain JSON form. */
export const plainJson = plain;
