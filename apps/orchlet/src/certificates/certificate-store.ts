import type { KeyObject } from "node:crypto";
import { mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readStateBytes } from "@orchernetes/kernel";
import { decodePem, parsePrivateKey, parseServingPair, type ServingPair } from "@orchernetes/tls";

/** Limit of a file with a chain of certificates and its key. */
const maxBytes = 1024 * 1024;

/**
 * A certificate with its key, kept in a directory as the original keeps it: each pair in one file named after its time, mode 0600,
 * and a link `NAME-current.pem` to the newest. A reader of the link sees a complete pair, either the previous or the new one.
 */
export class CertificateStore {
  readonly #dir: string;
  readonly #name: string;

  /** @param dir created with mode 0700 when the first pair is saved @param name start of the files' names, such as `orchlet-server` */
  constructor(dir: string, name: string) {
    this.#dir = dir;
    this.#name = name;
  }

  /** Path of the link to the newest pair. */
  get current(): string {
    return join(this.#dir, `${this.#name}-current.pem`);
  }

  /** The newest pair; undefined if none was saved. @throws TlsMaterialError when the file holds no pair; Error when it cannot be read */
  load(): ServingPair | undefined {
    let text: string;
    try {
      text = readStateBytes(this.current, maxBytes).toString("utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
    const pem = (label: RegExp) =>
      decodePem(text)
        .filter((block) => label.test(block.label))
        .map((block) => block.pem)
        .join("");
    const source = JSON.stringify(this.current);
    return parseServingPair(
      { certPem: pem(/^CERTIFICATE$/), keyPem: pem(/PRIVATE KEY$/) },
      { cert: source, key: source },
    );
  }

  /** Saves a pair as the newest, and deletes the previous one, whose key is no longer needed. @throws Error when that fails */
  save({ certPem, keyPem }: Pick<ServingPair, "certPem" | "keyPem">, now: Date): void {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    const former = this.#target();
    const file = `${this.#name}-${now.toISOString().replace(/[:.]/g, "-")}.pem`;
    writeFileSync(join(this.#dir, file), `${certPem.trimEnd()}\n${keyPem}`, { mode: 0o600 });
    const link = `${this.current}.new`;
    rmSync(link, { force: true });
    symlinkSync(file, link);
    renameSync(link, this.current);
    if (former !== undefined && former !== file) rmSync(join(this.#dir, former), { force: true });
  }

  /** A key for which a certificate was requested and has not arrived; undefined without one, or if it cannot be read. */
  pendingKey(): KeyObject | undefined {
    try {
      return parsePrivateKey(readStateBytes(this.#pending, maxBytes).toString("utf8"), JSON.stringify(this.#pending));
    } catch {
      return undefined;
    }
  }

  /** Keeps a key until its certificate arrives, so that a restart continues the same request. @throws Error when that fails */
  keepPendingKey(keyPem: string): void {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    writeFileSync(this.#pending, keyPem, { mode: 0o600 });
  }

  dropPendingKey(): void {
    rmSync(this.#pending, { force: true });
  }

  /** The original's name, so that either agent continues a request of the other. */
  get #pending(): string {
    return join(this.#dir, `${this.#name}.key.tmp`);
  }

  /** What the link names, if it is one of this store's own files. */
  #target(): string | undefined {
    try {
      const target = readlinkSync(this.current);
      return target.startsWith(`${this.#name}-`) && !target.includes("/") ? target : undefined;
    } catch {
      return undefined;
    }
  }
}
