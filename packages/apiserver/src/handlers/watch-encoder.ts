import {
  type ApiObject,
  apiVersionOf,
  encodeProtobuf,
  failure,
  parseJsonText,
  protobufMediaType,
  Status,
  watchFrame,
} from "@orchernetes/apimachinery";
import { type CacheEvent, type ObjectEvent, type Revision, withResourceVersion } from "@orchernetes/storage";
import { jsonType, type Negotiated } from "../http/negotiate.ts";
import type { ServedVersion } from "../registry/served-version.ts";
import { columnDefinitions, type IncludeObject, partialMetadata, tableHead, tableRow } from "./table.ts";

/** Annotation of the bookmark that ends the initial events of `sendInitialEvents`. */
const initialEventsEnd = "o8s.io/initial-events-end";

const closing = Buffer.from("}\n");
const openings = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
} as const;

/**
 * Encodes the events of one watch as frames of its stream: lines of JSON, or protobuf with a length in front.
 *
 * All watchers that see a change in the same way share one event object, and the frame is kept on it, by form
 * (encoding, version, table). A thousand watches of pods thus cost one encoding per event and a thousand copies of a
 * reference. For plain JSON, encoding is a concatenation with the cache's bytes; the object is never decoded.
 */
export class WatchEncoder {
  readonly #served: ServedVersion;
  readonly #negotiated: Negotiated;
  readonly #include: IncludeObject;
  readonly #now: () => Date;
  readonly #key: string;
  readonly #protobuf: boolean;
  #columnsSent = false;

  constructor(served: ServedVersion, negotiated: Negotiated, include: IncludeObject, now: () => Date) {
    this.#served = served;
    this.#negotiated = negotiated;
    this.#include = include;
    this.#now = now;
    const { group, version } = served.definition;
    this.#protobuf = negotiated.encoding === "protobuf";
    this.#key = `${negotiated.encoding}|${served.direct ? "" : `${group}/${version}`}|${negotiated.as ?? ""}|${negotiated.asApiVersion}|${include}`;
  }

  /**
   * Identifies the form of the frames: watches of the same form have equal frames. Undefined while the next frame
   * belongs to this watch alone.
   */
  get form(): string | undefined {
    return this.#negotiated.as === "Table" && !this.#columnsSent ? undefined : this.#key;
  }

  /** The frame of an event; created once for all watches of the same form. */
  encode(event: CacheEvent): Buffer {
    if (event.type === "BOOKMARK") return this.bookmark(event.revision, false);
    // The first table of each stream has the columns, so that its frame cannot be shared.
    if (this.#negotiated.as === "Table" && !this.#columnsSent) {
      this.#columnsSent = true;
      return this.#make(event, columnDefinitions(this.#served.definition));
    }
    const made = event.frames?.get(this.#key);
    if (made !== undefined) return made;
    const frame = this.#make(event, undefined);
    event.frames ??= new Map();
    event.frames.set(this.#key, frame);
    return frame;
  }

  /**
   * A bookmark (KEP-956): the client has seen everything up to `revision`, and may continue from there after a
   * disconnect.
   *
   * @param endsInitial whether it ends the initial events of `sendInitialEvents` (KEP-3157)
   */
  bookmark(revision: Revision, endsInitial: boolean): Buffer {
    const { definition } = this.#served;
    const metadata = {
      resourceVersion: String(revision),
      creationTimestamp: null,
      ...(endsInitial ? { annotations: { [initialEventsEnd]: "true" } } : {}),
    };
    const { as, asApiVersion } = this.#negotiated;
    if (this.#protobuf) {
      const { kind, schema } = definition;
      const object = { kind, apiVersion: apiVersionOf(definition), metadata };
      return watchFrame("BOOKMARK", encodeProtobuf(schema, object as unknown as ApiObject));
    }
    let object: string;
    if (as === "Table") {
      object = `${tableHead(asApiVersion, { resourceVersion: String(revision) }, this.#columns())}]}`;
      if (endsInitial) {
        const row = JSON.stringify({
          cells: [],
          object: { kind: "PartialObjectMetadata", apiVersion: asApiVersion, metadata },
        });
        object = `${object.slice(0, -2)}${row}]}`;
      }
    } else if (as !== undefined) {
      object = JSON.stringify({ kind: "PartialObjectMetadata", apiVersion: asApiVersion, metadata });
    } else {
      object = JSON.stringify({ kind: definition.kind, apiVersion: apiVersionOf(definition), metadata });
    }
    return Buffer.from(`{"type":"BOOKMARK","object":${object}}\n`);
  }

  /**
   * The last frame of a watch that cannot continue because history is missing: Status 410, after which clients list
   * again.
   */
  expired(message: string): Buffer {
    return this.failed(failure("Expired", message));
  }

  /**
   * The last frame of a watch that cannot continue. The response code was sent long before, so the error is an event.
   */
  failed(status: Status): Buffer {
    if (this.#protobuf) return watchFrame("ERROR", encodeProtobuf(Status, status));
    return Buffer.from(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`);
  }

  /** The media type of the stream. */
  get contentType(): string {
    return this.#protobuf ? `${protobufMediaType};stream=watch` : jsonType;
  }

  #columns(): string | undefined {
    if (this.#columnsSent) return undefined;
    this.#columnsSent = true;
    return columnDefinitions(this.#served.definition);
  }

  #make(event: ObjectEvent, columns: string | undefined): Buffer {
    const json = this.#json(event);
    const { as, asApiVersion } = this.#negotiated;
    if (as === undefined && !this.#protobuf) return Buffer.concat([openings[event.type], json, closing]);
    const object = parseJsonText(json.toString()) as ApiObject;
    if (this.#protobuf) return watchFrame(event.type, encodeProtobuf(this.#served.definition.schema, object));
    if (as !== "Table") {
      return Buffer.concat([
        openings[event.type],
        Buffer.from(JSON.stringify(partialMetadata(object, asApiVersion))),
        closing,
      ]);
    }
    const head = tableHead(asApiVersion, { resourceVersion: String(event.revision) }, columns);
    const row = tableRow(this.#served.definition, object, this.#now(), this.#include, asApiVersion);
    return Buffer.concat([openings[event.type], Buffer.from(`${head}${row}]}`), closing]);
  }

  #json(event: ObjectEvent): Buffer {
    const { json } = this.#served.form.entry(event.entry);
    return this.#served.direct ? json : withResourceVersion(json, event.revision);
  }
}
