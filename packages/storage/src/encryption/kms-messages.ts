/** @module The messages of the key management service's API (KMS v2) and the form in which its values are stored. */
import { bytesField, encode, type Field, messageField, ProtoReader } from "../etcd/proto.ts";

/** Further data of the service that comes with an encrypted key. */
export type Annotations = ReadonlyMap<string, Buffer>;

/** What is stored behind the prefix. */
export interface EncryptedObject {
  readonly encryptedData: Buffer;
  /** Which of the service's keys encrypted the data key. */
  readonly keyId: string;
  readonly encryptedDek: Buffer;
  readonly annotations: Annotations;
}

/** An encrypted data key. */
export type EncryptedKey = Omit<EncryptedObject, "encryptedData">;

/** What the service says about itself. */
export interface KmsStatus {
  readonly version: string;
  /** "ok", or what is wrong. */
  readonly healthz: string;
  readonly keyId: string;
}

/** One call of the service. */
export interface KmsRpc<Request, Response> {
  readonly path: string;
  readonly encode: (request: Request) => Buffer;
  readonly decode: (bytes: Buffer) => Response;
}

export const kmsStatus: KmsRpc<undefined, KmsStatus> = {
  path: "/v2.KeyManagementService/Status",
  encode: () => Buffer.alloc(0),
  decode(bytes) {
    const texts = fieldsOf(bytes);
    return { version: text(texts, 1), healthz: text(texts, 2), keyId: text(texts, 3) };
  },
};

export const kmsEncrypt: KmsRpc<{ readonly plaintext: Uint8Array; readonly uid: string }, EncryptedKey> = {
  path: "/v2.KeyManagementService/Encrypt",
  encode: ({ plaintext, uid }) => encode([bytesField(1, plaintext), bytesField(2, Buffer.from(uid))]),
  decode(bytes) {
    const fields = fieldsOf(bytes);
    return { encryptedDek: one(fields, 1), keyId: text(fields, 2), annotations: annotationsOf(fields, 3) };
  },
};

export const kmsDecrypt: KmsRpc<EncryptedKey & { readonly uid: string }, Buffer> = {
  path: "/v2.KeyManagementService/Decrypt",
  encode: ({ encryptedDek, uid, keyId, annotations }) =>
    encode([
      bytesField(1, encryptedDek),
      bytesField(2, Buffer.from(uid)),
      bytesField(3, Buffer.from(keyId)),
      ...annotationFields(4, annotations),
    ]),
  decode: (bytes) => one(fieldsOf(bytes), 1),
};

/** The stored form, without prefix. */
export function encodeEncryptedObject({ encryptedData, keyId, encryptedDek, annotations }: EncryptedObject): Buffer {
  return encode([
    bytesField(1, encryptedData),
    bytesField(2, Buffer.from(keyId)),
    bytesField(3, encryptedDek),
    ...annotationFields(4, annotations),
  ]);
}

/** @throws RangeError for bytes that are not such a message */
export function decodeEncryptedObject(bytes: Buffer): EncryptedObject {
  const fields = fieldsOf(bytes);
  return {
    encryptedData: one(fields, 1),
    keyId: text(fields, 2),
    encryptedDek: one(fields, 3),
    annotations: annotationsOf(fields, 4),
  };
}

type Fields = readonly (readonly [number, Buffer])[];

/** Length-delimited fields; others are passed over. */
function fieldsOf(bytes: Buffer): Fields {
  const fields: [number, Buffer][] = [];
  const reader = new ProtoReader(bytes);
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (reader.delimited) fields.push([field, reader.bytes()]);
    else reader.skip();
  }
  return fields;
}

function one(fields: Fields, number: number): Buffer {
  return fields.findLast(([field]) => field === number)?.[1] ?? Buffer.alloc(0);
}

function text(fields: Fields, number: number): string {
  return one(fields, number).toString();
}

function annotationsOf(fields: Fields, number: number): Annotations {
  const annotations = new Map<string, Buffer>();
  for (const [field, entry] of fields) {
    if (field !== number) continue;
    const parts = fieldsOf(entry);
    annotations.set(text(parts, 1), one(parts, 2));
  }
  return annotations;
}

function annotationFields(number: number, annotations: Annotations): Field[] {
  return [...annotations].map(([key, value]) =>
    messageField(number, [bytesField(1, Buffer.from(key)), bytesField(2, value)]),
  );
}
