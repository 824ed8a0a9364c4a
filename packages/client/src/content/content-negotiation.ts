import {
  DecodeError,
  encodeMessage,
  protobufMediaType,
  type SchemeKind,
  writeEnvelope,
} from "@orchernetes/apimachinery";
import type { BodyFormat } from "../transport/body-format.ts";
import type { RawRequest } from "../transport/requester.ts";
import type { TransportResponse } from "../transport/transport.ts";
import { inFormat } from "../transport/whole-response.ts";
import { type ContentTypes, jsonMediaType } from "./content-types.ts";
import { ProtobufFormat } from "./protobuf-format.ts";
import { type PathResource, resourceOfPath } from "./resource-of-path.ts";

/** A request's body, and what its headers say about bodies. */
export interface EncodedRequest {
  readonly accept: string;
  readonly contentType: string;
  readonly body: string | Uint8Array | undefined;
}

/** The request as JSON: the form without {@link ContentTypes}. */
export function jsonRequest({ accept, contentType, body }: RawRequest): EncodedRequest {
  const isEncoded = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  return {
    accept: accept ?? jsonMediaType,
    contentType: contentType ?? jsonMediaType,
    body: isEncoded ? body : JSON.stringify(body),
  };
}

/** Encodes requests in the media types of a client, and reads responses in the type that the server chose. */
export class ContentNegotiation {
  readonly #types: ContentTypes;
  readonly #protobuf: BodyFormat;
  /** Groups and versions whose server rejected these types. At most those of the scheme. */
  readonly #onlyJson = new Set<string>();

  constructor(types: ContentTypes) {
    this.#types = types;
    this.#protobuf = new ProtobufFormat(types.scheme);
  }

  /**
   * Encodes a request. It is JSON if its path has no kind of the scheme, and so are the parts that it sets itself: `accept`,
   * `contentType`, and the response if it reads the text with `decode`. A body that does not fit its schema is JSON as well, so that
   * the server can say what is wrong with it.
   */
  encode(request: RawRequest): EncodedRequest {
    const known = this.#kindAt(resourceOfPath(request.path));
    if (known === undefined) return jsonRequest(request);
    const accept = request.accept ?? (request.decode === undefined ? this.#types.accept : jsonMediaType);
    const body = this.#protobufBody(request, known);
    return body === undefined ? { ...jsonRequest(request), accept } : { accept, contentType: protobufMediaType, body };
  }

  /** The response, with the format of its body unless that is JSON. */
  read(response: TransportResponse): TransportResponse {
    if (response.headers["content-type"]?.startsWith(protobufMediaType) !== true) return response;
    return inFormat(response, this.#protobuf);
  }

  /**
   * Whether a request has to be sent again as JSON, because its server rejects its media types. Such a request was not processed.
   * Later ones to the same group and version are JSON from the start.
   */
  fallsBack(statusCode: number, { path }: RawRequest, { accept, contentType }: EncodedRequest): boolean {
    const isRejected =
      (statusCode === 406 && accept === this.#types.accept && accept !== jsonMediaType) ||
      (statusCode === 415 && contentType === protobufMediaType);
    const resource = isRejected ? resourceOfPath(path) : undefined;
    if (resource === undefined) return false;
    this.#onlyJson.add(groupVersionOf(resource));
    return true;
  }

  #kindAt(resource: PathResource | undefined): SchemeKind | undefined {
    if (resource === undefined || this.#onlyJson.has(groupVersionOf(resource))) return undefined;
    const { group, version, plural, subresource } = resource;
    return this.#types.scheme.resource(group, version, plural, subresource);
  }

  #protobufBody({ method, contentType, body }: RawRequest, known: SchemeKind): Uint8Array | undefined {
    const isOwnType = contentType !== undefined || method === "PATCH";
    if (isOwnType || this.#types.contentType !== protobufMediaType) return undefined;
    const object = typeof body === "string" ? parsed(body) : body;
    if (!isObject(object)) return undefined;
    const kind = this.#kindOf(object, method === "DELETE" ? this.#types.scheme.kind("v1", "DeleteOptions") : known);
    if (kind === undefined) return undefined;
    try {
      return writeEnvelope(kind.apiVersion, kind.kind, encodeMessage(kind.schema, object));
    } catch (error) {
      if (error instanceof DecodeError) return undefined;
      throw error;
    }
  }

  /** The kind that a body names, or that of its path if it names none. */
  #kindOf(object: TypedObject, byPath: SchemeKind | undefined): SchemeKind | undefined {
    const { apiVersion = "", kind = "" } = object;
    if (apiVersion === "" && kind === "") return byPath;
    return typeof apiVersion === "string" && typeof kind === "string"
      ? this.#types.scheme.kind(apiVersion, kind)
      : undefined;
  }
}

interface TypedObject {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
}

const isObject = (value: unknown): value is TypedObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The server says what is wrong with it.
    return undefined;
  }
}

const groupVersionOf = ({ group, version }: PathResource): string => `${group}/${version}`;
