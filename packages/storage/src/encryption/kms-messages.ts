/** @module The messages of the API of key management services (KMS v2), and the stored form of the values that they encrypt. */
import { encodeFields as encode, type Fields, fieldsOf, one, text } from "./message-fields.ts";

/** Data of the service that is stored with an encrypted key and returned to it for decryption. */
type Annotations = ReadonlyMap<string, Buffer>;

/** The stored form of a value, after the prefix. */
export interface EncryptedObject {
  readonly encryptedData: Buffer;
  /** The key of the service that encrypted the data key. */
  readonly keyId: string;
  readonly encryptedDek: Buffer;
  readonly annotations: Annotations;
}

/** An encrypted data key. */
export type EncryptedKey = Omit<EncryptedObject, "encryptedData">;

/** The status of the service. */
export interface KmsStatus {
  readonly version: string;
  /** "ok", or the reason why the service is not healthy. */
  readonly healthz: string;
  readonly keyId: string;
}

/** A method of the service: its path and the codecs of its messages. */
export interface KmsRpc<Request, Response> {
  readonly path: string;
  readonly encode: (request: Request) => Buffer;
  readonly decode: (bytes: Buffer) => Response;
}

/** Gets the version, the health and the current key of the service. */
export const kmsStatus: KmsRpc<undefined, KmsStatus> = {
  path: "/v2.KeyManagementService/Status",
  encode: () => Buffer.alloc(0),
  decode(bytes) {
    const texts = fieldsOf(bytes);
    return { version: text(texts, 1), healthz: text(texts, 2), keyId: text(texts, 3) };
  },
};

/** Encrypts a data key. `uid` identifies the call in logs. */
export const kmsEncrypt: KmsRpc<{ readonly plaintext: Uint8Array; readonly uid: string }, EncryptedKey> = {
  path: "/v2.KeyManagementService/Encrypt",
  encode: ({ plaintext, uid }) => encode({ 1: plaintext, 2: uid }),
  decode(bytes) {
    const fields = fieldsOf(bytes);
    return { encryptedDek: one(fields, 1), keyId: text(fields, 2), annotations: annotationsOf(fields, 3) };
  },
};

/** Decrypts a data key. */
export const kmsDecrypt: KmsRpc<EncryptedKey & { readonly uid: string }, Buffer> = {
  path: "/v2.KeyManagementService/Decrypt",
  encode: ({ encryptedDek, uid, keyId, annotations }) => encode({ 1: encryptedDek, 2: uid, 3: keyId, 4: annotations }),
  decode: (bytes) => one(fieldsOf(bytes), 1),
};

/** Encodes the stored form, without its prefix. */
export function encodeEncryptedObject({ encryptedData, keyId, encryptedDek, annotations }: EncryptedObject): Buffer {
  return encode({ 1: encryptedData, 2: keyId, 3: encryptedDek, 4: annotations });
}

/** Decodes the stored form, without its prefix. @throws RangeError for bytes that are not such a message */
export function decodeEncryptedObject(bytes: Buffer): EncryptedObject {
  const fields = fieldsOf(bytes);
  return {
    encryptedData: one(fields, 1),
    keyId: text(fields, 2),
    encryptedDek: one(fields, 3),
    annotations: annotationsOf(fields, 4),
  };
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
