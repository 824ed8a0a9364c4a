import { constants } from "node:fs";
import { access, lstat, readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { messageOf } from "@orchernetes/kernel";
import {
  type CaBundle,
  joinServingPair,
  loadCaBundle,
  loadPrivateKey,
  type PrivateKeyMaterial,
  parseCertificates,
  parsePrivateKey,
  type ServingPair,
} from "@orchernetes/tls";
import { ConfigurationError, configurationErrors } from "./configuration-error.ts";
import { parseSniPair } from "./sni-pair.ts";

/** A file or directory that a flag or a field of a configuration file names. */
export interface NamedFile {
  /** The source of the name, such as `--client-ca-file` or `--config: file "/a.yaml", field tlsCertFile`. */
  readonly from: string;
  /** Empty if no file is named. */
  readonly path: string;
}

/** TLS material of a client, PEM. */
interface TlsTexts {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

/** The files that {@link TlsTexts} were read from. */
type TlsFiles = { readonly [P in keyof TlsTexts]?: string };

/** The file of a flag. */
export const flagFile = <K extends string>(flags: { readonly [P in K]: string }, name: K): NamedFile => ({
  from: `--${name}`,
  path: flags[name],
});

/**
 * Reads the files that a configuration names before anything is built from them, and collects the errors: one line
 * each, with the source of the name, the path, and what would have been accepted. Otherwise a daemon with three wrong
 * paths would have to be started four times.
 *
 * Certificates, keys and bundles are read again by the loaders that serve and reload them. If each call is awaited,
 * errors are in the order of the calls.
 */
export class NamedFiles {
  /** The errors found so far; callers may add lines. */
  readonly errors: string[];

  /** @param errors the list to add to */
  constructor(errors: string[] = []) {
    this.errors = errors;
  }

  /**
   * The parsed text of a file; undefined if none is named, or after an error.
   * @param parse throws an error with `errors` for an invalid text
   * @param want what the file should be, for error messages
   */
  async text<T>(file: NamedFile, parse: (text: string) => T, want = "file"): Promise<T | undefined> {
    return this.#try(file, async (path) => {
      const text = await readFile(path, "utf8").catch((error: unknown) => {
        this.#cannotRead(file, error, want);
        return undefined;
      });
      return text === undefined ? undefined : parse(text);
    });
  }

  /**
   * The result of `work` for a file; undefined if none is named or after an error.
   * @param work throws an error with `errors`
   */
  check<T>(file: NamedFile, work: (path: string) => T | Promise<T>): Promise<T | undefined> {
    return this.#try(file, work);
  }

  /** A YAML or JSON file with a mapping, whose content is not validated. */
  async document(file: NamedFile): Promise<unknown> {
    return this.#try(file, async (path) => {
      // Imported only when such a file is named, because it costs start-up time.
      const { readConfigDocument } = await import("@orchernetes/config/load-config-file");
      const source = JSON.stringify(path);
      const document = await readConfigDocument(path, source);
      if (typeof document !== "object" || document === null || Array.isArray(document))
        throw new ConfigurationError([`${source} holds no mapping; want one with apiVersion and kind`]);
      return document;
    });
  }

  /** Certificates of authorities. */
  async bundle(file: NamedFile): Promise<CaBundle | undefined> {
    return this.#try(file, loadCaBundle);
  }

  /** A private key. */
  async privateKey(file: NamedFile): Promise<PrivateKeyMaterial | undefined> {
    return this.#try(file, loadPrivateKey);
  }

  /** A certificate chain and its key: both or neither are named, and they match. */
  async pair(cert: NamedFile, key: NamedFile): Promise<ServingPair | undefined> {
    const certificates = await this.bundle(cert);
    const privateKey = await this.privateKey(key);
    if ((cert.path === "") !== (key.path === "")) this.errors.push(lackingHalf(cert, key));
    if (certificates === undefined || privateKey === undefined) return undefined;
    const sources = { cert: JSON.stringify(cert.path), key: JSON.stringify(key.path) };
    return this.#try(key, () => joinServingPair(certificates, privateKey, sources));
  }

  /** Further pairs, as `--tls-sni-cert-key` names them. */
  async sniPairs(from: string, texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      const { certFile, keyFile } = parseSniPair(text);
      await this.pair({ from, path: certFile }, { from, path: keyFile });
    }
  }

  /**
   * A client configuration, whose certificates and key are validated, too.
   * @param file the source of the name; the path may be empty, for a configuration that is composed otherwise
   * @param load throws an error with `errors`
   */
  async client<C extends { readonly tls?: TlsTexts | (() => TlsTexts); readonly tlsFiles?: TlsFiles }>(
    file: NamedFile,
    load: () => C,
  ): Promise<C | undefined> {
    return this.#collect(file, async () => {
      const config = load();
      await this.#clientTls(file, typeof config.tls === "function" ? config.tls() : config.tls, config.tlsFiles);
      return config;
    });
  }

  /** A directory that exists. */
  async directory(file: NamedFile): Promise<void> {
    if (file.path === "") return;
    try {
      if ((await stat(file.path)).isDirectory()) return;
      this.errors.push(`${file.from}: ${JSON.stringify(file.path)} is no directory; want one`);
    } catch (error) {
      this.#cannotRead(file, error, "directory");
    }
  }

  /** A path for a unix socket: its directory exists and is writable, and the path is free or a socket. */
  async socket(file: NamedFile): Promise<void> {
    if (file.path === "") return;
    const refuse = (why: string) =>
      this.errors.push(
        `${file.from}: ${JSON.stringify(file.path)} cannot be used: ${why}; want a free path in a directory that this process may write`,
      );
    const found = await lstat(file.path).catch(() => undefined);
    if (found?.isSocket() === false) return void refuse("it exists and is no socket");
    await access(dirname(resolve(file.path)), constants.W_OK | constants.X_OK).catch((error) =>
      refuse(messageOf(error)),
    );
  }

  /** A directory that this process may write into or create. */
  async writableDirectory(file: NamedFile): Promise<void> {
    if (file.path === "") return;
    const refuse = (why: string) =>
      this.errors.push(
        `${file.from}: ${JSON.stringify(file.path)} cannot be used: ${why}; want a directory that this process may make or write`,
      );
    for (let at = resolve(file.path); ; at = dirname(at)) {
      try {
        if (!(await stat(at)).isDirectory()) return void refuse(`${JSON.stringify(at)} is no directory`);
        return await access(at, constants.W_OK | constants.X_OK);
      } catch (error) {
        const absent = error instanceof Error && "code" in error && /^(ENOENT|ENOTDIR)$/.test(String(error.code));
        if (!absent || at === dirname(at)) return void refuse(messageOf(error));
      }
    }
  }

  /** The directory of the self-signed pair, if the pair must still be created. */
  async pairDirectory(file: NamedFile, pairName: string): Promise<void> {
    if (file.path === "") return;
    const there = await stat(join(file.path, `${pairName}.crt`)).then(
      () => true,
      () => false,
    );
    if (!there) await this.writableDirectory(file);
  }

  async #clientTls(file: NamedFile, tls: TlsTexts | undefined, files: TlsFiles = {}): Promise<void> {
    const origin = file.path === "" ? "" : `${JSON.stringify(file.path)}, `;
    const source = (field: string, path: string | undefined) =>
      path === undefined ? `${origin}${field}` : `${origin}${field} ${JSON.stringify(path)}`;
    const sources = {
      ca: source("certificate-authority", files.ca),
      cert: source("client-certificate", files.cert),
      key: source("client-key", files.key),
    };
    const read = async <T>(
      text: string | Buffer | undefined,
      parse: (pem: string, source: string) => T,
      source: string,
    ) => {
      if (text === undefined) return undefined;
      const pem = text.toString();
      const parsed = await this.#collect(file, () => parse(pem, source));
      return parsed && { pem, parsed };
    };
    await read(tls?.ca, parseCertificates, sources.ca);
    const cert = await read(tls?.cert, parseCertificates, sources.cert);
    const key = await read(tls?.key, parsePrivateKey, sources.key);
    if (cert === undefined || key === undefined) return;
    const certificates = { pem: cert.pem, certificates: cert.parsed };
    await this.#collect(file, () => joinServingPair(certificates, { pem: key.pem, key: key.parsed }, sources));
  }

  async #try<T>(file: NamedFile, work: (path: string) => T | Promise<T>): Promise<T | undefined> {
    return file.path === "" ? undefined : this.#collect(file, work);
  }

  async #collect<T>(file: NamedFile, work: (path: string) => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work(file.path);
    } catch (error) {
      const errors = configurationErrors(error);
      if (errors === undefined) throw error;
      this.errors.push(...errors.map((error) => `${file.from}: ${error}`));
      return undefined;
    }
  }

  #cannotRead({ from, path }: NamedFile, error: unknown, want: string): void {
    this.errors.push(`${from}: ${JSON.stringify(path)} cannot be read: ${messageOf(error)}; want a readable ${want}`);
  }
}

/** The error of a pair of which only one half is named. */
export function lackingHalf(cert: NamedFile, key: NamedFile): string {
  const [lacking, given] = cert.path === "" ? [cert, key] : [key, cert];
  return `${lacking.from}: not given, but ${given.from} is ${JSON.stringify(given.path)}; want both or neither`;
}
