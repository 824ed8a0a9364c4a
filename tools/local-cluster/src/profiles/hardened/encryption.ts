import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { closeFile } from "@orchernetes/host";
import { writePrivate } from "./write-private.ts";

/**
 * Ensures that there is a configuration of encryption at rest with a key of its own, in a file of mode 0600. An existing one is kept:
 * nothing else can read the secrets that are stored. Losing the file is losing the secrets.
 *
 * @throws Error when the file cannot be written, or belongs to another user
 */
export function ensureEncryption(file: string): void {
  if (existsSync(file)) closeFile(file);
  else writePrivate(file, encryptionConfiguration(randomBytes(32)));
}

/**
 * Encrypts secrets with the key, and reads those that were stored before.
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
          // Authenticated encryption whose nonces are long enough to be random, unlike those of aesgcm, which needs new keys often.
          { secretbox: { keys: [{ name: "key1", secret: key.toString("base64") }] } },
          { identity: {} },
        ],
      },
    ],
  };
}
