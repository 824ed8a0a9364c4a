import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { closeFile } from "@orchernetes/host";
import { writePrivate } from "./write-private.ts";

/**
 * Ensures that there is a file of mode 0600 that configures encryption at rest with a new key. An existing file is kept, because without
 * its key the stored secrets cannot be read: if the file is lost, so are the secrets.
 *
 * @throws Error if the file cannot be written, or belongs to another user
 */
export function ensureEncryption(file: string): void {
  if (existsSync(file)) closeFile(file);
  else writePrivate(file, encryptionConfiguration(randomBytes(32)));
}

/**
 * Returns the configuration that encrypts secrets with the key and still reads unencrypted ones, which were stored before.
 *
 * @param key 32 bytes
 */
function encryptionConfiguration(key: Buffer): object {
  return {
    apiVersion: "apiserver.config.o8s.io/v1",
    kind: "EncryptionConfiguration",
    resources: [
      {
        resources: ["secrets"],
        providers: [
          // Unlike aesgcm, secretbox has nonces that are long enough to be random, so its key need not be changed regularly.
          { secretbox: { keys: [{ name: "key1", secret: key.toString("base64") }] } },
          { identity: {} },
        ],
      },
    ],
  };
}
