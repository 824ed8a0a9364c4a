/** @module The messages of the API of key management services in version 1 (`v1beta1`). */
import type { KmsRpc } from "./kms-messages.ts";
import { encodeFields, fieldsOf, one, text } from "./message-fields.ts";

/** The version that this client implements; every request contains it. */
export const kmsV1ApiVersion = "v1beta1";

/** Gets the version that the service implements. */
export const kmsV1Version: KmsRpc<undefined, string> = {
  path: "/v1beta1.KeyManagementService/Version",
  encode: () => encodeFields({ 1: kmsV1ApiVersion }),
  decode: (bytes) => text(fieldsOf(bytes), 1),
};

/** Encrypts bytes. */
export const kmsV1Encrypt: KmsRpc<Uint8Array, Buffer> = {
  path: "/v1beta1.KeyManagementService/Encrypt",
  encode: (plain) => encodeFields({ 1: kmsV1ApiVersion, 2: plain }),
  decode: (bytes) => one(fieldsOf(bytes), 1),
};

/** Decrypts what {@link kmsV1Encrypt} returned. */
export const kmsV1Decrypt: KmsRpc<Uint8Array, Buffer> = {
  path: "/v1beta1.KeyManagementService/Decrypt",
  encode: (cipher) => encodeFields({ 1: kmsV1ApiVersion, 2: cipher }),
  decode: (bytes) => one(fieldsOf(bytes), 1),
};
